/**
 * The program that runs commands in the guest, in Perl. It is the guest's first process: when the host closes its port, or
 * the agent fails, the guest is over. Each command has its own namespaces of processes and mounts, under a first process
 * that ends everything in them; it runs as the caller, with no rights beyond that.
 */
import type { Limits } from '../policy.js';
import { COMMAND_PART, SUPERVISOR_PART } from './agent-command.js';
import { FRAME_KINDS, MOST_PAYLOAD_BYTES } from './frames.js';
import { perlPrelude } from './system-calls.js';
import type { Architecture } from './system-calls.js';

export type Caller = { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };

export function agentScript(architecture: Architecture): string {
  const kinds = Object.entries(FRAME_KINDS).map(([name, number]) => `${name} => ${number}`);
  const frames = `my %kind = (${kinds.join(', ')});\nmy $most = ${MOST_PAYLOAD_BYTES};\n`;
  return [perlPrelude(architecture), frames, COMMAND_PART, SUPERVISOR_PART, JOBS, LOOP].join('\n');
}

/** In the order the script takes them; nothing for a limit that does not hold. */
export function agentArguments(caller: Caller, limits: Limits): readonly string[] {
  const { memoryBytes, processes, cpuSeconds, fileBytes } = limits;
  const bounds = [memoryBytes, processes, cpuSeconds, fileBytes].map((limit) =>
    limit === undefined ? '' : `${limit}`,
  );
  return [String(caller.uid), String(caller.gid), caller.groups.join(' '), ...bounds];
}

/** What runs, and how it is started and ended. */
const JOBS = String.raw`
my $port;
my %jobs;

sub send_frame {
  my ($name, $id, $payload) = @_;
  my $frame = pack('NCNa*', 5 + length($payload), $kind{$name}, $id, $payload);
  while (length $frame) {
    my $written = syswrite($port, $frame);
    if (defined $written) { substr($frame, 0, $written) = '' }
    elsif (!$!{EINTR}) { power_off() }
  }
}

sub power_off {
  syscall($nr{reboot}, 0xfee1dead, 672274793, 0x1234567, 0);
  syscall($nr{exit_group}, 1);
}

sub limited_group {
  my ($id) = @_;
  return '' if $memory eq '' && $processes eq '';
  my $group = "/sys/fs/cgroup/command-$id";
  mkdir($group) or die "$group: $!\n";
  my %limits = ('memory.max' => $memory, 'pids.max' => $processes);
  for my $name (grep { $limits{$_} ne '' } keys %limits) {
    open(my $handle, '>', "$group/$name") or die "$group/$name: $!\n";
    syswrite($handle, $limits{$name}) or die "$group/$name: $!\n";
  }
  return $group;
}

sub start {
  my ($id, $payload) = @_;
  my ($cwd, $count, @words) = unpack('(N/a*)*', $payload);
  my @argv = splice(@words, 0, $count);
  my $group = limited_group($id);
  pipe(my $out, my $out_end) or die "$!\n";
  pipe(my $err, my $err_end) or die "$!\n";
  pipe(my $report_from, my $report_end) or die "$!\n";
  my $pid = syscall($nr{clone}, 0x28020011, 0, 0, 0, 0);
  die "$!\n" if $pid == -1;
  if ($pid == 0) {
    close($port);
    close($_) for map { map { $_->[1] } @{ $_->{streams} } } values %jobs;
    my %ends = (out => $out_end, err => $err_end, report => $report_end);
    supervise({ %ends, cwd => $cwd, argv => \@argv, env => \@words, group => $group });
  }
  my @streams = (['stdout', $out], ['stderr', $err], ['report', $report_from]);
  $jobs{$id} = { pid => $pid, streams => \@streams, report => '', group => $group };
}

sub finish {
  my ($id) = @_;
  my $job = delete $jobs{$id};
  rmdir($job->{group}) if $job->{group} ne '';
  my $how = substr($job->{report}, 0, 1);
  return send_frame('not_started', $id, unpack('xn/a*', $job->{report})) if $how eq 'N';
  return send_frame('signalled', $id, pack('C', 9)) if $how ne 'X';
  my $status = unpack('xn', $job->{report});
  my $signal = $status & 127;
  return send_frame('signalled', $id, pack('C', $signal)) if $signal;
  send_frame('exited', $id, pack('C', $status >> 8));
}

sub handle {
  my ($number, $id, $payload) = @_;
  if ($number == $kind{start}) {
    eval { start($id, $payload); 1 } or send_frame('not_started', $id, $@);
  } elsif ($number == $kind{signal}) {
    kill(unpack('C', $payload), $jobs{$id}{pid}) if $jobs{$id};
  }
}
`;

/** Waits for the host and for output, and never for anything else. */
const LOOP = String.raw`
sub read_port {
  my ($buffer) = @_;
  my $read = sysread($port, $$buffer, 65536, length $$buffer);
  return if !defined $read && $!{EINTR};
  power_off() if !$read;
  while (length $$buffer >= 9) {
    my ($length, $number, $id) = unpack('NCN', $$buffer);
    power_off() if $length < 5 || $length > $most + 5;
    last if length $$buffer < 4 + $length;
    my $payload = substr(substr($$buffer, 0, 4 + $length, ''), 9);
    handle($number, $id, $payload);
  }
}

sub read_stream {
  my ($id, $stream) = @_;
  my ($name, $handle) = @$stream;
  my $read = sysread($handle, my $bytes, 32768);
  return if !defined $read && $!{EINTR};
  my $job = $jobs{$id};
  if ($read && $name eq 'report') {
    $job->{report} .= $bytes;
  } elsif ($read) {
    send_frame($name, $id, $bytes);
  } else {
    close($handle);
    $job->{streams} = [grep { $_ != $stream } @{ $job->{streams} }];
    finish($id) if !@{ $job->{streams} };
  }
}

use Errno;
# It ends by switching the system off, which must never be the host's.
fail('it is not the first process of a guest') if $$ != 1;
# Shorter to read in a list of processes than the whole of this.
$0 = 'agent';
open($port, '+<&=', 3) or fail("its port: $!");
fcntl($port, 2, 1);
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
put('/sys/fs/cgroup/cgroup.subtree_control', '+memory +pids') if "$memory$processes" ne '';
send_frame('ready', 0, '');
my $received = '';
while (1) {
  my $watched = '';
  vec($watched, fileno($port), 1) = 1;
  for my $job (values %jobs) {
    vec($watched, fileno($_->[1]), 1) = 1 for @{ $job->{streams} };
  }
  next if select(my $readable = $watched, undef, undef, undef) < 0;
  for my $id (keys %jobs) {
    for my $stream (@{ $jobs{$id}{streams} }) {
      read_stream($id, $stream) if vec($readable, fileno($stream->[1]), 1);
    }
  }
  read_port(\$received) if vec($readable, fileno($port), 1);
}
`;
