/**
 * Commands that destroy, publish or stop what a person may want to keep. What they do inside of the project can often
 * not be told from what they do elsewhere, so it does not matter here where they do it.
 */
import { listed } from './command-options.js';

/** All that is said must hold. */
export type Danger = {
  /** Sub-commands as a pattern, words separated by one blank. */
  readonly after?: string;
  /** One of these options is there. */
  readonly when?: readonly string[];
  /** And one of these. */
  readonly and?: readonly string[];
  /** None of these is there. */
  readonly unless?: readonly string[];
  /** Options with a value, which is no option then: needed to be sure of `unless`. */
  readonly takes?: readonly string[];
  /** Some word reads like this. */
  readonly word?: RegExp;
  /** The first option is a signal. */
  readonly signal?: true;
  /** A word that only the run will tell is not suspected of being the option. */
  readonly certainly?: true;
  /** What it does, in words that follow the name of the program. */
  readonly why: string;
};

const FORCE = ['-f', '--force'];
const RECURSIVE = ['-R', '--recursive'];
const ROOTS = new RegExp(
  String.raw`^(?:/+\*?|~/?|/+(?:home|Users)(?:/+[^/]+)?/*\*?|` +
    String.raw`/+(?:root|etc|usr|var|bin|sbin|lib|lib64|boot|opt|dev|sys|proc|System|Library|Applications)/*\*?)$`,
);
/** Devices that hold what nobody can bring back once it is overwritten, and the system's own memory. */
export const DISK = /^\/+dev\/+(?:sd|hd|vd|xvd|nvme|r?disk|mmcblk|mapper\/|dm-|md|loop|k?mem$|port$)/;
const EVERYONE = /^(?:0*[0-7]?777|(?:a|ugo)?[+=](?:rwx|rxw|wrx|wxr|xrw|xwr)[Xst]*)$/;

const GIT: readonly Danger[] = [
  { after: 'reset', unless: ['--soft'], why: 'reset moves the branch and may drop changes' },
  {
    after: 'rm',
    unless: ['--cached', '-n', '--dry-run'],
    takes: ['--pathspec-from-file'],
    why: 'rm deletes files',
  },
  {
    after: 'clean',
    when: FORCE,
    unless: ['-n', '--dry-run'],
    takes: ['-e', '--exclude'],
    why: 'clean with -f deletes files that were never committed',
  },
  {
    after: 'push',
    when: ['-f', '--force', '--force-with-lease', '--mirror', '--prune'],
    why: 'push with force overwrites what others have',
  },
  { after: 'push', when: ['-d', '--delete'], why: 'push with -d deletes a branch that others have' },
  { after: 'push', word: /^\+/, why: 'push of +ref overwrites what others have' },
  { after: 'push', word: /^:./, why: 'push of :ref deletes a branch that others have' },
  { after: 'branch', when: ['-D'], why: 'branch with -D deletes a branch that was not merged' },
  { after: 'branch', when: ['-d', '--delete'], and: FORCE, why: 'branch deletes a branch that was not merged' },
  {
    after: '(?:checkout|switch)',
    when: ['-f', '--force', '--discard-changes'],
    certainly: true,
    why: 'with force drops changes that were not committed',
  },
  { after: 'checkout', word: /^(?:--|\.\/?|:\/)$/, why: 'checkout of paths drops changes that were not committed' },
  { after: 'restore', when: ['-W', '--worktree'], why: 'restore drops changes that were not committed' },
  {
    after: 'restore',
    unless: ['-S', '--staged'],
    takes: ['-s', '--source', '--conflict', '--pathspec-from-file'],
    why: 'restore drops changes that were not committed',
  },
  { after: 'stash (?:drop|clear)', why: 'stash drops what was put aside' },
  { after: 'reflog (?:expire|delete)', why: 'reflog forgets what could be restored' },
  { after: 'gc', word: /^--pr[a-z]*=(?:now|all)/, why: 'gc with --prune=now deletes what could be restored' },
  { after: 'filter-(?:branch|repo)', why: 'rewrites the whole history' },
  { after: 'update-ref', when: ['-d'], why: 'update-ref with -d deletes a reference' },
  { after: 'worktree remove', when: FORCE, why: 'worktree remove with force drops changes' },
];

const CONTAINERS: readonly Danger[] = [
  { after: '(?:system|volume|container|image|network|builder) prune', why: 'prune deletes all that is not in use' },
  { after: 'volume (?:rm|remove)', why: 'deletes a volume with its data' },
  { after: '(?:container )?(?:rm|remove)', when: FORCE, why: 'rm with -f deletes containers that run' },
  { after: '(?:rmi|image rm)', when: FORCE, why: 'deletes images that are in use' },
  {
    after: 'compose (?:\\S+ )*down',
    when: ['-v', '--volumes'],
    why: 'compose down with -v deletes volumes with their data',
  },
];

const SQL: readonly Danger[] = [
  { word: /(?:\b|^-[ce])(?:drop|truncate)\s/i, why: 'is told to drop data' },
  { word: /(?:\b|^-[ce])delete\s+from\b(?![^;]*\bwhere\b)/i, why: 'is told to delete all rows' },
];

const PUBLISHING: readonly Danger[] = [
  { after: '(?:npm )?(?:publish|unpublish)', unless: ['--dry-run'], why: 'changes what others install' },
];
const INFRASTRUCTURE: readonly Danger[] = [
  { after: 'destroy', why: 'destroy takes down what runs' },
  { after: 'apply', when: listed('-auto-approve --auto-approve -destroy --destroy'), why: 'apply changes what runs' },
];
const PERMISSIONS: readonly Danger[] = [
  { when: RECURSIVE, word: ROOTS, certainly: true, why: 'changes a whole system or home folder' },
  { when: RECURSIVE, word: EVERYONE, certainly: true, why: 'lets everybody write whole folders' },
];
const DISK_TARGET: readonly Danger[] = [{ word: DISK, why: 'overwrites a disk' }];
const DISK_TOOL: readonly Danger[] = [{ unless: ['-l', '--list'], why: 'changes how a disk is laid out' }];

const ALWAYS: Readonly<Record<string, string>> = {
  'shred srm': 'destroys files for good',
  'wipefs mkfs mke2fs newfs mkswap blkdiscard hdparm': 'destroys what is on a disk',
  'lvremove vgremove pvremove': 'destroys a volume',
  'shutdown reboot halt poweroff telinit': 'stops the machine',
  'userdel groupdel deluser delgroup passwd': 'changes who may use the machine',
  dropdb: 'deletes a database',
};

export const DANGERS: ReadonlyMap<string, readonly Danger[]> = new Map<string, readonly Danger[]>([
  ...Object.entries(ALWAYS).flatMap(([names, why]) =>
    listed(names).map((name): [string, readonly Danger[]] => [name, [{ why }]]),
  ),
  [
    'rm',
    [
      { when: FORCE, why: 'with -f deletes without asking' },
      { when: ['-r', ...RECURSIVE], why: 'with -r deletes whole folders' },
    ],
  ],
  ['git', GIT],
  ['fdisk', DISK_TOOL],
  ['sfdisk', DISK_TOOL],
  ['cfdisk', DISK_TOOL],
  ['gdisk', DISK_TOOL],
  ['sgdisk', DISK_TOOL],
  ['parted', DISK_TOOL],
  ['diskutil', [{ after: '(?:quiet )?(?:(?:secure)?erase\\w*|partition\\w*|zero\\w*)', why: 'erases a disk' }]],
  ['dd', [{ word: /^of=\/+dev\/(?!(?:null|stdout|stderr|tty|fd\/\d+)$)/, why: 'overwrites a device' }]],
  ['cp', DISK_TARGET],
  ['tee', DISK_TARGET],
  ['mv', [...DISK_TARGET, { word: /^\/+dev\/+null$/, why: 'to /dev/null destroys the file' }]],
  ['zpool', [{ after: 'destroy', why: 'destroy deletes a pool of volumes' }]],
  ['zfs', [{ after: 'destroy', why: 'destroy deletes a volume' }]],
  ['cryptsetup', [{ after: '(?:luksformat|erase|lukserase)', why: 'makes a volume unreadable' }]],
  ['init', [{ word: /^[06]$/, why: 'stops the machine' }]],
  [
    'systemctl',
    [
      {
        after: '(?:poweroff|reboot|halt|kexec|soft-reboot|rescue|emergency|suspend|hibernate|hybrid-sleep)',
        why: 'stops the machine',
      },
    ],
  ],
  ['kill', [{ signal: true, word: /^-?0*1$/, why: 'ends every process' }]],
  ['pkill', [{ word: /^(?:init|systemd|launchd|\.\*?)$/, why: 'ends every process' }]],
  ['killall', [{ word: /^(?:init|systemd|launchd|-1)$/, why: 'ends every process' }]],
  ['killall5', [{ why: 'ends every process' }]],
  ['chmod', PERMISSIONS],
  ['chown', PERMISSIONS],
  ['chgrp', PERMISSIONS],
  ['find', [{ when: ['-delete'], certainly: true, why: 'with -delete deletes all it finds' }]],
  [
    'rsync',
    [
      {
        when: listed(`
          --del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded
          --remove-source-files
        `),
        certainly: true,
        why: 'with --delete deletes files',
      },
    ],
  ],
  ['crontab', [{ when: ['-r'], why: 'with -r deletes all planned jobs' }]],
  ['iptables', [{ when: ['-F', '--flush', '-X'], why: 'drops the rules of the firewall' }]],
  ['ip6tables', [{ when: ['-F', '--flush', '-X'], why: 'drops the rules of the firewall' }]],
  ['nft', [{ after: 'flush', why: 'drops the rules of the firewall' }]],
  ['ufw', [{ after: '(?:disable|reset)', why: 'drops the rules of the firewall' }]],
  ['docker', CONTAINERS],
  ['podman', CONTAINERS],
  ['nerdctl', CONTAINERS],
  ['kubectl', [{ after: '(?:delete|drain)', why: 'takes down what runs' }]],
  ['oc', [{ after: '(?:delete|drain)', why: 'takes down what runs' }]],
  ['helm', [{ after: '(?:uninstall|delete|del|un)', why: 'takes down what runs' }]],
  ['terraform', INFRASTRUCTURE],
  ['tofu', INFRASTRUCTURE],
  ['npm', PUBLISHING],
  ['pnpm', PUBLISHING],
  ['yarn', PUBLISHING],
  ['cargo', [{ after: '(?:publish|yank)', unless: ['-n', '--dry-run'], why: 'changes what others install' }]],
  ['twine', [{ after: 'upload', why: 'changes what others install' }]],
  ['poetry', [{ after: 'publish', unless: ['--dry-run'], why: 'changes what others install' }]],
  ['gem', [{ after: '(?:push|yank)', why: 'changes what others install' }]],
  ['gh', [{ after: '(?:repo|release|secret|gist) delete', why: 'deletes what others see' }]],
  [
    'aws',
    [
      { after: 's3 rm', when: ['--recursive'], why: 's3 rm deletes whole folders' },
      { after: 's3 rb', when: ['--force'], why: 's3 rb with --force deletes a bucket with its files' },
    ],
  ],
  ['redis-cli', [{ word: /^flush(?:all|db)$/i, why: 'deletes all data' }]],
  ['psql', SQL],
  ['mysql', SQL],
  ['mariadb', SQL],
  ['sqlite3', SQL],
]);
