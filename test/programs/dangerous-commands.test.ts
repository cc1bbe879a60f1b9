import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { DANGERS } from '../../src/programs/dangerous-command-table.js';
import { dangerOf } from '../../src/programs/dangerous-commands.js';
import { propertyRuns } from '../support/property-runs.js';
import { wordsOf } from './words.js';

const DANGEROUS = String.raw`
  rm -f a
  rm -rf a
  rm -fr a
  rm -r a
  rm -R a
  rm -vf a
  rm a -f
  rm --force a
  rm --forc a
  rm --recursive a
  rm --rec a
  /bin/rm -rf a
  ./rm -rf a
  /tmp/x/rm -f a
  RM -rf a
  busybox rm -rf a
  rm $FLAGS a
  rm $dir/a
  rm -$x a
  rm "-$x" a
  rm *
  git reset
  git reset --hard HEAD~1
  git -C . reset --hard
  git-reset --hard
  /usr/lib/git-core/git-push --force
  git -c alias.x=y reset --hard
  git -c a=b reset
  git $x reset --hard
  git -C $d reset
  git rm a
  git rm -r a
  git rm -- --cached
  git clean -f
  git clean -fdx
  git clean --force
  git clean -f -e -n
  git push --force
  git push -f origin main
  git push origin main -f
  git push --force-with-lease
  git push --forc
  git push --mirror
  git push --delete origin a
  git push -d origin a
  git push origin +main
  git push origin :main
  git push $FLAGS origin
  git branch -D a
  git branch -d -f a
  git branch -df a
  git branch --delete --force a
  git checkout -f
  git checkout --force main
  git checkout -- a
  git checkout HEAD -- a
  git checkout .
  git switch -f main
  git switch --discard-changes main
  git restore a
  git restore .
  git restore --staged --worktree a
  git restore -SW a
  git restore -s --staged a
  git stash drop
  git stash clear
  git reflog expire --all
  git reflog delete HEAD@{1}
  git gc --prune=now
  git filter-branch --tree-filter x
  git update-ref -d refs/heads/a
  git worktree remove --force a
  shred a
  wipefs -a /dev/sda
  mkfs /dev/sda1
  mkfs.ext4 /dev/sda1
  /sbin/mkfs.xfs /dev/sda1
  mke2fs /dev/sda1
  newfs_apfs disk0
  fdisk /dev/sda
  sgdisk -Z /dev/sda
  parted /dev/sda mklabel gpt
  dd if=a of=/dev/sda
  dd of=/dev/disk2
  dd "of=/dev/$x"
  cp a /dev/sda
  tee /dev/nvme0n1
  mv a /dev/null
  blkdiscard /dev/sda
  hdparm --security-erase x /dev/sda
  shutdown now
  reboot
  halt
  poweroff
  init 0
  init 6
  telinit 0
  systemctl reboot
  systemctl --no-wall poweroff
  kill -9 -1
  kill -- -1
  kill 1
  kill -s KILL 1
  kill -1 1
  pkill init
  pkill -9 systemd
  killall launchd
  chmod -R 777 .
  chmod -R a+rwx .
  chmod -R 755 /
  chmod --recursive 0777 a
  chown -R me /
  chown -R me /home/me
  chgrp -R me /etc
  find . -delete
  find / -name a -delete
  rsync -a --delete a/ b/
  crontab -r
  iptables -F
  iptables --flush
  nft flush ruleset
  ufw disable
  userdel a
  groupdel a
  passwd
  diskutil eraseDisk JHFS+ x disk2
  diskutil secureErase 0 disk2
  cryptsetup luksFormat /dev/sda
  zpool destroy a
  docker system prune -af
  docker -H tcp://x system prune
  docker volume rm a
  docker rm -f a
  docker container rm --force a
  podman rm -f a
  docker compose down -v
  docker compose -f x.yml down -v
  kubectl delete pod a
  kubectl -n prod delete pod a
  helm uninstall a
  terraform destroy
  terraform -chdir=x destroy
  terraform apply -auto-approve
  terraform apply --auto-approve
  npm publish
  npm --registry x publish
  npm unpublish a
  yarn npm publish
  cargo publish
  cargo +stable publish
  twine upload dist/*
  gh repo delete a/b
  aws s3 rm s3://a --recursive
  aws --profile x s3 rb s3://a --force
  dropdb a
  redis-cli FLUSHALL
  redis-cli -h x -p 1 flushdb
  psql -c 'DROP TABLE a'
  psql -c 'drop database a'
  psql db -c "TRUNCATE $t"
  mysql -e 'DELETE FROM a'
  mysql -e 'delete from a; select 1 where true'
  sqlite3 a.db 'DROP TABLE x'
`;

const NOT_DANGEROUS = String.raw`
  rm a
  rm -i a
  rm -v a
  rm -- -f
  rm -- -rf
  rm "$f"
  rm *.o
  rm src/*.o
  rmdir a
  unlink a
  echo rm -rf a
  ls -rf
  git rm --cached a
  git rm -rn a
  git rm --dry-run a
  git clean
  git clean -n
  git clean -nfd
  git clean -fd --dry-run
  git push
  git push origin main
  git push origin main:dev
  git push -u origin main
  git branch -d a
  git branch a
  git checkout main
  git checkout -b a
  git checkout $branch
  git switch main
  git switch -c a
  git restore --staged a
  git restore -S a
  git stash
  git stash pop
  git reflog
  git gc
  git commit -m reset
  git log --grep reset
  git worktree remove a
  dd if=a of=b
  dd if=/dev/sda of=/dev/null
  dd of=/dev/stdout
  fdisk -l
  parted --list
  mv a b
  cp a b
  tee a
  tee /dev/null
  init 3
  systemctl status a
  kill 1234
  kill -9 1234
  kill -1 1234
  kill -HUP 12
  pkill node
  chmod 755 a
  chmod -R 755 src
  chmod 777 a
  chown -R me src
  find . -name a
  find $dir -name a
  find . -name '*-delete'
  rsync -a a/ b/
  crontab -l
  iptables -L
  docker ps
  docker rm a
  docker run --rm a
  docker run a rm -f b
  docker compose down
  kubectl get pods
  kubectl describe pod delete
  terraform plan
  terraform apply
  npm install
  npm run publish
  cargo build
  gh repo view
  gh pr delete-me
  aws s3 rm s3://a/b
  aws s3 ls
  redis-cli get a
  psql -c 'SELECT 1'
  psql -c 'DELETE FROM a WHERE id = 1'
  mysql -e 'select dropped from a'
  diskutil list
  truncate -s 0 a
  passwd-helper
  mkfsx
`;

const listed = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

describe('a command is dangerous', () => {
  test.each(listed(DANGEROUS))('%s', (line) => {
    expect(dangerOf(wordsOf(line))).toEqual(expect.any(String));
  });
});

describe('a command is not known to be dangerous', () => {
  test.each(listed(NOT_DANGEROUS))('%s', (line) => {
    expect(dangerOf(wordsOf(line))).toBeUndefined();
  });
});

test('words in braces may hold the option, names of files do not', () => {
  const unknown = (source: string) => ({ source, begins: '', splits: true });
  expect(dangerOf(['rm', unknown('{-rf,x}')])).toEqual(expect.any(String));
  expect(dangerOf(['rm', unknown('[ab].o')])).toBeUndefined();
});

test('the reason is a sentence that begins with the program', () => {
  const lines = ['/bin/rm -f a', 'rm $FLAGS a', 'git -C . reset', 'mkfs.ext4 /dev/sda', 'psql -c "DROP $t"'];
  expect(lines.map((line) => dangerOf(wordsOf(line)))).toEqual([
    'rm with -f deletes without asking',
    'rm with -f deletes without asking, and $FLAGS may bring that option',
    'git reset moves the branch and may drop changes',
    'mkfs.ext4 destroys what is on a disk',
    'psql is told to drop data',
  ]);
});

test('a dangerous option is found among any words, however it is spelled', () => {
  const options = [...DANGERS].flatMap(([name, dangers]) =>
    dangers
      .filter((danger) => danger.when && !danger.and && !danger.unless && !danger.word && !danger.after)
      .flatMap((danger) => (danger.when ?? []).flatMap((option) => spellings(option).map((word) => ({ name, word })))),
  );
  const plain = fc.stringMatching(/^[a-z./]+$/);
  fc.assert(
    fc.property(
      fc.constantFrom(...options),
      fc.array(plain),
      fc.array(fc.string()),
      ({ name, word }, before, after) => {
        return dangerOf([name, ...before, word, ...after]) !== undefined;
      },
    ),
    propertyRuns(2_000),
  );
});

function spellings(option: string): readonly string[] {
  if (option.length === 2) return [option, `-v${option.slice(1)}`, `${option}v`];
  return option.startsWith('--') ? [option, option.slice(0, -1)] : [option];
}
