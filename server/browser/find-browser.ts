import { accessSync, constants } from 'node:fs';

/** Where Linux distributions put a Chromium; the one without a window first, since it is lighter. */
const KNOWN_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
];

/** Returns the path of a browser that can be started: the configured one, else one in a usual place, else null. */
export function findBrowser(configured: string | null): string | null {
  const paths = configured === null ? KNOWN_PATHS : [configured];
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
