import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { pollUntil } from '../poll-until.ts';
import { removeFolder } from '../remove-folder.ts';
import { ensureDebianPackages } from '../runner/debian-packages.ts';
import { endProcess } from './end-process.ts';

const execute = promisify(execFile);

export interface CommandRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  /** The whole environment besides PATH and HOME. */
  environment?: Record<string, string>;
  /** The command in front of the shell, e.g. `setpriv` with its arguments. */
  as?: readonly string[];
  /** Whether it runs in this machine's network, as what fetches packages has to. */
  reachesOut?: boolean;
}

/**
 * A throw-away copy of this machine: its current files, all of which may be changed, with processes and, if
 * wanted, a network of its own. Nothing of it outlives the test, and nothing reaches the machine itself.
 */
export interface MachineCopy {
  /** The folder that is the copy's root, as this machine sees it. */
  root: string;
  /** The process whose namespaces are the copy's. */
  processId: number;
  /** Runs a script in bash, which ends with its first failure. */
  run(script: string, options?: CommandOptions): Promise<CommandRun>;
  /** The same, and throws what it printed when it fails. Returns its standard output. */
  mustRun(script: string, options?: CommandOptions): Promise<string>;
  /** Starts a script that goes on until it is ended. */
  start(script: string, options?: CommandOptions): ChildProcess;
  close(): Promise<void>;
}

/** Everything that is written goes to memory; what was mounted on the machine's root is shown where the copy names it. */
const SET_UP = `
set -e
place=$1 network=$2; shift 2
mount -t tmpfs tmpfs "$place"
mkdir "$place/changes" "$place/work" "$place/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/changes,workdir=$place/work" "$place/root"
mount -t proc proc "$place/root/proc"
mount --rbind /dev "$place/root/dev"
mount -t tmpfs tmpfs "$place/root/run"
for shown; do mkdir -p "$place/root$shown"; mount --bind "$shown" "$place/root$shown"; done
if [ "$network" = own ]; then ip link set lo up; fi
exec chroot "$place/root" sleep infinity
`;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns a copy of this machine. `shows` are folders of this machine that both share. */
export async function startMachineCopy(
  options: { network?: 'own' | 'shared'; shows?: readonly string[] } = {},
): Promise<MachineCopy> {
  const { network = 'own', shows = [] } = options;
  ensureDebianPackages(['iproute2', 'util-linux']);
  const place = await mkdtemp(join(tmpdir(), 'portage-machine-'));
  const spaces = ['--mount', '--pid', '--fork', '--kill-child', ...(network === 'own' ? ['--net'] : [])];
  const holder = spawn('unshare', [...spaces, 'sh', '-c', SET_UP, 'sh', place, network, ...shows], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(holder.stderr);
  holder.once('exit', () => undefined);
  const processId = await pollUntil(
    async () => {
      if (holder.exitCode !== null) throw new Error(`no copy of this machine: ${await said}`);
      return sleepingChild(holder.pid);
    },
    (id) => id !== null,
  );
  const start = (script: string, { environment = {}, as = [], reachesOut = false }: CommandOptions = {}) =>
    spawn(
      'nsenter',
      [
        ...[
          '--target',
          String(processId),
          '--mount',
          '--pid',
          ...(reachesOut ? [] : ['--net']),
          '--root',
          '--wd',
          '--',
        ],
        ...[...as, 'bash', '-euo', 'pipefail', '-c', script],
      ],
      { env: { PATH, HOME: homedir(), ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
  const run = async (script: string, commandOptions?: CommandOptions): Promise<CommandRun> => {
    const child = start(script, commandOptions);
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  };
  return {
    root: `/proc/${processId}/root`,
    processId: Number(processId),
    start,
    run,
    async mustRun(script, commandOptions) {
      const { code, stdout, stderr } = await run(script, commandOptions);
      if (code !== 0) throw new Error(`${script}\nended with ${code}:\n${stdout}\n${stderr}`);
      return stdout;
    },
    async close() {
      await endProcess(holder, 'SIGKILL');
      await removeFolder(place);
    },
  };
}

/** Lays a cable between two copies with networks of their own, and gives each end an address with its prefix (`192.0.2.1/24`). */
export async function connectMachines(
  one: MachineCopy,
  oneAddress: string,
  other: MachineCopy,
  otherAddress: string,
): Promise<void> {
  const inNetworkOf = (machine: MachineCopy, ...command: string[]) =>
    execute('nsenter', ['--target', String(machine.processId), '--net', 'ip', ...command]);
  const end = ['type', 'veth', 'peer', 'name', 'cable', 'netns', String(other.processId)];
  await inNetworkOf(one, 'link', 'add', 'cable', ...end);
  const ends = [
    [one, oneAddress],
    [other, otherAddress],
  ] as const;
  for (const [machine, address] of ends) {
    await inNetworkOf(machine, 'addr', 'add', address, 'dev', 'cable');
    await inNetworkOf(machine, 'link', 'set', 'cable', 'up');
  }
}

/** Returns the process that holds the copy open, once it has its root. */
async function sleepingChild(parent = 0): Promise<number | null> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  const child = Number(children.split(' ')[0]);
  if (!child) return null;
  const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '');
  return name === 'sleep\n' ? child : null;
}
