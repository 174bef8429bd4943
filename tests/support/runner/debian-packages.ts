import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Two workers never install at the same time. */
const LOCK = join(tmpdir(), 'portage-debian-packages.lock');
const INSTALL = `
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
`;

/**
 * Returns once these Debian packages are installed, installing missing ones as root. Their programs may be in
 * `/usr/sbin`.
 * @throws a sentence that names what is missing
 */
export function ensureDebianPackages(names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    spawnSync('flock', [LOCK, 'sh', '-c', INSTALL, 'sh', ...missing], {
      stdio: 'ignore',
      // In runlevel 1 a package does not start its service.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      timeout: 300_000,
    });
  }
  const absent = missing.filter((name) => !isInstalled(name));
  if (absent.length > 0) throw new Error(`These tests need the Debian packages ${absent.join(', ')}.`);
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg', ['--status', name], { encoding: 'utf8' });
  return stdout.includes('\nStatus: install ok installed\n');
}
