/**
 * The system calls that the Perl parts make by number, because Perl has no names for them. Perl is used since it is part
 * of nearly every Linux system, and what runs in the guest are the host's own programs.
 */

const NUMBERS = {
  x64: {
    mount: 165,
    mount_setattr: 442,
    unshare: 272,
    clone: 56,
    prctl: 157,
    capget: 125,
    capset: 126,
    prlimit64: 302,
    setgroups: 116,
    setresgid: 119,
    setresuid: 117,
    exit_group: 231,
    reboot: 169,
  },
  arm64: {
    mount: 40,
    mount_setattr: 442,
    unshare: 97,
    clone: 220,
    prctl: 167,
    capget: 90,
    capset: 91,
    prlimit64: 261,
    setgroups: 159,
    setresgid: 149,
    setresuid: 147,
    exit_group: 94,
    reboot: 142,
  },
} as const;

export type Architecture = keyof typeof NUMBERS;

/** The one this program runs on, if a guest can be had there. */
export function hostArchitecture(): Architecture | undefined {
  return process.arch === 'x64' || process.arch === 'arm64' ? process.arch : undefined;
}

/** Every Perl part begins with it. `call` is for what has to succeed: `fail` says how each part gives up. */
export function perlPrelude(architecture: Architecture): string {
  const pairs = Object.entries(NUMBERS[architecture]).map(([name, number]) => `${name} => ${number}`);
  return `use strict;
my %nr = (${pairs.join(', ')});
sub call {
  my ($what, $name, @arguments) = @_;
  my $result = syscall($nr{$name}, @arguments);
  fail("$what: $!") if $result == -1;
  return $result;
}
`;
}
