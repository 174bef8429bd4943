import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const INSTALLED = [
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

/** Returns the path of a Chromium: an installed one, else Playwright's own download, else Debian's package (as root). */
export function ensureChromium(): string {
  const found = findChromium();
  if (found) return found;
  for (const install of [installDebianPackage, downloadWithPlaywright]) {
    try {
      install();
    } catch {
      continue;
    }
    const installed = findChromium();
    if (installed) return installed;
  }
  throw new Error(
    'The journeys need Chromium: install the package chromium, or run: npx playwright install chromium',
  );
}

function findChromium(): string | undefined {
  return [...INSTALLED, chromium.executablePath()].find((path) => path !== '' && existsSync(path));
}

function installDebianPackage(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], options);
}

function downloadWithPlaywright(): void {
  execFileSync('npx', ['playwright', 'install', 'chromium'], { stdio: 'ignore', timeout: 300_000 });
}
