/**
 * The two Perl programs that start others on the host. Both are ended by the kernel with the process that started them, and
 * neither passes on a descriptor but the three first and the one that is named. What fails ends them before anything runs.
 */
import { perlPrelude } from './system-calls.js';
import type { Architecture } from './system-calls.js';
import type { ViewStep } from './view-steps.js';

export const SHARE_DESCRIPTOR = 3;

/** Printed when the view stands and the socket listens. */
export const VIEW_READY = 'the view is ready';

export type ViewLaunch = {
  readonly architecture: Architecture;
  /** Where to listen for the machine. */
  readonly socket: string;
  readonly steps: readonly ViewStep[];
  readonly argv: readonly string[];
};

/** Builds a view in a mount namespace of its own, listens for the machine, and becomes the program that serves the view. */
export function viewLaunch({ architecture, socket, steps, argv }: ViewLaunch): readonly string[] {
  const script = `${perlPrelude(architecture)}${FAIL}${TETHER}${VIEW}`;
  return ['-e', script, '--', String(process.pid), socket, ...steps.flat(), 'run', ...argv];
}

export type MachineLaunch = {
  readonly architecture: Architecture;
  /** Who the machine runs as; absent for the user who starts it. */
  readonly as?: { readonly uid: number; readonly gid: number } | undefined;
  readonly argv: readonly string[];
};

/** Gives up all rights of a superuser, and becomes the machine. */
export function machineLaunch({ architecture, as, argv }: MachineLaunch): readonly string[] {
  const script = `${perlPrelude(architecture)}${FAIL}${TETHER}${MACHINE}`;
  return ['-e', script, '--', String(process.pid), as ? `${as.uid} ${as.gid}` : '', ...argv];
}

const FAIL = String.raw`
sub fail {
  print STDERR "$_[0]\n";
  exit 125;
}
`;

/** The parent is looked for after the kernel was told, so that there is no moment in between. */
const TETHER = String.raw`
my $parent = shift @ARGV;
sub tether {
  call('tying it to its parent', 'prctl', 1, 9, 0, 0, 0);
  fail('its parent has ended') if getppid() != $parent;
}
`;

const VIEW = String.raw`
use constant { NEWNS => 0x20000, NEWUSER => 0x10000000, BIND => 0x5000, PRIVATE => 0x44000, AT_RECURSIVE => 0x8000 };
use constant { RDONLY => 1, NOSUID => 2, NODEV => 4 };
my $path = shift @ARGV;
$^F = 3;
socket(my $listener, 1, 1, 0) or fail("making a socket: $!");
fail('the descriptor for the machine is taken') if fileno($listener) != 3;
umask(0);
bind($listener, pack('Sa*', 1, $path)) or fail("listening on $path: $!");
listen($listener, 1) or fail("listening on $path: $!");
umask(022);

sub put {
  my ($file, $text) = @_;
  open(my $handle, '>', $file) or fail("$file: $!");
  syswrite($handle, $text) or fail("$file: $!");
  close($handle) or fail("$file: $!");
}

# A plain user has the right to mount in a namespace of users only, and passes it on by raising what it has there.
sub become_mounter {
  my ($uid, $gid) = ($>, $) + 0);
  call('separating its users', 'unshare', NEWUSER);
  put('/proc/self/setgroups', 'deny');
  put('/proc/self/uid_map', "$uid $uid 1");
  put('/proc/self/gid_map', "$gid $gid 1");
  my ($head, $rights) = (pack('LL', 0x20080522, 0), "\0" x 24);
  syscall($nr{capget}, $head, $rights) == 0 or fail("asking for its rights: $!");
  my @sets = unpack('L6', $rights);
  @sets[2, 5] = @sets[1, 4];
  call('passing on its rights', 'capset', pack('LL', 0x20080522, 0), pack('L6', @sets));
  for my $right (grep { $sets[1 + 3 * ($_ >> 5)] >> ($_ & 31) & 1 } 0 .. 63) {
    call('passing on its rights', 'prctl', 47, 2, $right, 0, 0);
  }
}

become_mounter() if $> != 0;
call('separating its mounts', 'unshare', NEWNS);
call('separating its mounts', 'mount', 0, '/', 0, PRIVATE, 0);

my %steps = (
  bind => sub {
    my ($from, $to) = splice(@ARGV, 0, 2);
    call("mounting $to", 'mount', $from, $to, 0, BIND, 0);
  },
  cover => sub {
    my $folder = shift @ARGV;
    call("covering $folder", 'mount', 'tmpfs', $folder, 'tmpfs', RDONLY | NOSUID | NODEV, 'mode=0555,size=4k');
  },
  attributes => sub {
    my ($rights, $tree) = splice(@ARGV, 0, 2);
    my $set = NOSUID | NODEV | ($rights eq 'writable' ? 0 : RDONLY);
    call("making $tree $rights", 'mount_setattr', -100, $tree, AT_RECURSIVE, pack('Q4', $set, 0, 0, 0), 32);
  },
  check => sub {
    my ($place, $device, $inode) = splice(@ARGV, 0, 3);
    my @now = lstat($place);
    fail("looking at $place: $!") if !@now;
    fail("$place is no longer what it was") if $now[0] ne $device || $now[1] ne $inode;
  },
);
while ((my $step = shift @ARGV) ne 'run') {
  ($steps{$step} || fail("no such step: $step"))->();
}
# Not before: a change of rights would undo it.
tether();
syswrite(STDOUT, "${VIEW_READY}\n");
exec { $ARGV[0] } @ARGV or fail("starting $ARGV[0]: $!");
`;

const MACHINE = String.raw`
my ($uid, $gid) = split / /, shift @ARGV;
if (defined $uid) {
  my $none = '';
  call('leaving its groups', 'setgroups', 0, $none);
  call('changing its group', 'setresgid', $gid + 0, $gid + 0, $gid + 0);
  call('changing its user', 'setresuid', $uid + 0, $uid + 0, $uid + 0);
}
call('giving up rights', 'prctl', 38, 1, 0, 0, 0);
tether();
exec { $ARGV[0] } @ARGV or fail("starting $ARGV[0]: $!");
`;
