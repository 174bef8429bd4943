import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DevtoolsPipe } from './devtools-pipe.ts';
import { watchMemory } from './watch-memory.ts';

/** The user without rights of every Linux: as root, Chromium's sandbox does not start, and nothing foreign may run as root. */
const NOBODY = { uid: 65534, gid: 65534 };

/**
 * Nothing leaves the machine or reaches a port of it: every request goes to a proxy whose name cannot be looked up, loopback
 * included, and no name is ever looked up. What a page may have is handed over by DevTools before it becomes a request.
 */
const WITHOUT_NETWORK = [
  '--proxy-server=http://nowhere.invalid:1',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
];

const WITHOUT_EXTRAS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-breakpad',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider',
  '--deny-permission-prompts',
  '--block-new-web-contents',
  '--hide-scrollbars',
  '--mute-audio',
  '--renderer-process-limit=2',
  '--js-flags=--max-old-space-size=192',
];

/** A browser of its own for one page: with an empty profile, in its sandbox, without a network. */
export interface ConfinedBrowser {
  devtools: DevtoolsPipe;
  /** Ends every process of it at once and removes its profile. */
  close(): Promise<void>;
}

/**
 * Starts a browser for content that is not trusted. It ends when `signal` aborts or it takes more memory than `memoryBytesMax`.
 * It gets nothing of this process's environment, and runs as nobody where this process runs as root.
 */
export async function openConfinedBrowser(
  path: string,
  { signal, memoryBytesMax }: { signal: AbortSignal; memoryBytesMax: number },
): Promise<ConfinedBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'portage-browser-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(profile, NOBODY.uid, NOBODY.gid);
  const child = spawn(
    path,
    [...WITHOUT_EXTRAS, ...WITHOUT_NETWORK, `--user-data-dir=${profile}`, 'about:blank'],
    {
      cwd: profile,
      env: {
        PATH: '/usr/bin:/bin',
        HOME: profile,
        TMPDIR: profile,
        XDG_RUNTIME_DIR: profile,
        LANG: 'C.UTF-8',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      // A process group of its own, which ends as a whole.
      detached: true,
      ...(isRoot ? NOBODY : {}),
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const devtools = new DevtoolsPipe(child.stdio[3] as Writable, child.stdio[4] as Readable);
  child.once('error', (error) => devtools.fail(error));
  const kill = (reason: string) => {
    devtools.fail(new Error(reason));
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  const onAbort = () => kill('the picture took too long');
  signal.addEventListener('abort', onAbort, { once: true });
  let stopWatching = () => {};
  if (child.pid !== undefined) {
    yieldTo(child.pid);
    stopWatching = watchMemory(child.pid, memoryBytesMax, () => kill('the page takes too much memory'));
  }
  return {
    devtools,
    async close() {
      signal.removeEventListener('abort', onAbort);
      stopWatching();
      kill('the browser was closed');
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Visitors and people at the console come first, and it is the first to be ended when memory runs out. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It has ended already, or the system has no such file.
  }
}
