/** The parts of the agent that become a command: after the fork, in namespaces of its own, on the way down to the caller. */

/** What the command's own process does until it is the command. */
export const COMMAND_PART = String.raw`
my ($uid, $gid, $groups, $memory, $processes, $cpu, $file_size) = @ARGV;
my $report;

sub fail {
  if (defined $report) {
    syswrite($report, pack('an/a*', 'N', $_[0]));
  } else {
    print STDERR "agent: $_[0]\n";
  }
  syscall($nr{exit_group}, 127);
}

sub put {
  my ($file, $text) = @_;
  open(my $handle, '>', $file) or fail("$file: $!");
  defined syswrite($handle, $text) or fail("$file: $!");
  close($handle) or fail("$file: $!");
}

sub limit {
  my ($what, $number, $value) = @_;
  call("limiting $what", 'prlimit64', 0, $number, pack('Q2', $value, $value), 0) if $value ne '';
}

sub give_up_rights {
  open(my $handle, '<', '/proc/sys/kernel/cap_last_cap') or fail("asking for rights: $!");
  my $last = 0 + <$handle>;
  call('giving up rights', 'prctl', 24, $_, 0, 0, 0) for 0 .. $last;
  my @groups = split / /, $groups;
  call('setting its groups', 'setgroups', scalar @groups, pack('L*', @groups));
  call('setting its group', 'setresgid', $gid + 0, $gid + 0, $gid + 0);
  call('setting its user', 'setresuid', $uid + 0, $uid + 0, $uid + 0);
  call('giving up rights', 'capset', pack('LL', 0x20080522, 0), pack('L6', 0, 0, 0, 0, 0, 0));
  call('giving up rights', 'prctl', 38, 1, 0, 0, 0);
}

sub become_command {
  my ($job) = @_;
  $SIG{$_} = 'DEFAULT' for qw(CHLD PIPE INT TERM);
  setpgrp(0, 0);
  put("$job->{group}/cgroup.procs", '0') if $job->{group} ne '';
  # Read-only from here on, or a command of the superuser could lift its own limits.
  call('closing its group', 'mount', 0, '/sys/fs/cgroup', 0, 0x102f, 0);
  limit('the size of core files', 4, 0);
  limit('processor time', 0, $cpu);
  limit('the size of files', 1, $file_size);
  open(STDIN, '<', '/dev/null') or fail("/dev/null: $!");
  open(STDOUT, '>&', $job->{out}) or fail("its output: $!");
  open(STDERR, '>&', $job->{err}) or fail("its output: $!");
  give_up_rights();
  umask(022);
  chdir($job->{cwd}) or fail("$job->{cwd}: $!");
  %ENV = map { split(/=/, $_, 2) } @{ $job->{env} };
  my @argv = @{ $job->{argv} };
  no warnings;
  exec { $argv[0] } @argv;
  fail("$argv[0]: $!");
}
`;

/** The first process of the command's namespace. When it ends, the kernel ends everything in there. */
export const SUPERVISOR_PART = String.raw`
sub supervise {
  my ($job) = @_;
  $report = $job->{report};
  $SIG{CHLD} = 'DEFAULT';
  my $child;
  for my $name (qw(INT TERM)) {
    $SIG{$name} = sub { kill($name, -$child) if $child };
  }
  call('mounting its /proc', 'mount', 'proc', '/proc', 'proc', 0xf, 0);
  defined($child = fork()) or fail("starting it: $!");
  become_command($job) if $child == 0;
  setpgrp($child, $child);
  close($job->{$_}) for qw(out err);
  while (1) {
    my $ended = wait();
    last if $ended == $child;
    fail('its end was missed') if $ended == -1 && !$!{EINTR};
  }
  syswrite($report, 'X' . pack('n', $?));
  syscall($nr{exit_group}, 0);
}
`;
