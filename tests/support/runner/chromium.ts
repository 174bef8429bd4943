import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';
import { ensureDebianPackages } from './debian-packages.ts';

/** Debian's Chromium without a user interface: a new window takes half the processor time. */
const HEADLESS = { package: 'chromium-headless-shell', path: '/usr/bin/chromium-headless-shell' };
const INSTALLED = [
  HEADLESS.path,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Switches for a closed network and a container; as root the sandbox cannot start. */
export const CHROMIUM_ARGUMENTS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * For windows that live for seconds: code that V8 optimizes and garbage that it collects on several threads
 * cost a sixth more than they save. All windows of a context share one process, and with it what is compiled.
 */
export const SHORT_LIVED = [
  '--js-flags=--no-maglev,--no-turbofan,--single-threaded-gc',
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
];

/**
 * Returns the path of a Chromium: Debian's headless shell (installed if root), else an installed one, else
 * Playwright's own.
 */
export function ensureChromium(): string {
  if (!existsSync(HEADLESS.path)) attempt(() => ensureDebianPackages([HEADLESS.package]));
  if (!findChromium()) attempt(() => ensureDebianPackages(['chromium']));
  if (!findChromium()) attempt(downloadWithPlaywright);
  const found = findChromium();
  if (found) return found;
  throw new Error(
    'The journeys need Chromium: install the package chromium, or run: npx playwright install chromium',
  );
}

function findChromium(): string | undefined {
  return [...INSTALLED, chromium.executablePath()].find((path) => path !== '' && existsSync(path));
}

function downloadWithPlaywright(): void {
  execFileSync('npx', ['playwright', 'install', 'chromium'], { stdio: 'ignore', timeout: 300_000 });
}

/** Whether it worked is determined by what exists afterwards. */
function attempt(install: () => void): void {
  try {
    install();
  } catch {
    // There are alternatives.
  }
}
