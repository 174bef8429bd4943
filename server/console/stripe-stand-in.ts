import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { currentBuild } from '../program/kept-builds.ts';
import { pagePlaces } from './page-places.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCE = join('app', 'stripe-stand-in', 'stand-in.ts');
/** Outside the public assets: only the sandbox serves it. */
const BUILT = join('sandbox', 'stripe.js');

/** Builds the stand-in of Stripe.js into the folder of the built console. */
export async function buildStripeStandIn(root: string, folder: string): Promise<void> {
  const path = join(folder, BUILT);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await bundle(root));
}

let built: Promise<string> | undefined;

/**
 * Returns the stand-in of Stripe.js as a script for the browser: the built one, or in development compiled
 * from the current sources.
 */
export function getStripeStandIn(isDevelopment: boolean): Promise<string> {
  if (isDevelopment) return bundle(ROOT);
  built ??= currentBuild(pagePlaces(ROOT))
    .then((folder) => readFile(join(folder, BUILT), 'utf8'))
    .catch(() => bundle(ROOT));
  return built;
}

async function bundle(root: string): Promise<string> {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({ input: join(root, SOURCE), cwd: root });
  const { output } = await bundled.generate({ format: 'iife', minify: true });
  await bundled.close();
  return output[0].code;
}
