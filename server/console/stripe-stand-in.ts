import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCE = join('app', 'stripe-stand-in', 'stand-in.ts');
/** Outside of what is served to everybody: only the sandbox hands it out. */
const BUILT = join('dist', 'sandbox', 'stripe.js');

/** Writes the stand-in of Stripe.js beside the built console. */
export async function buildStripeStandIn(root: string): Promise<void> {
  const path = join(root, BUILT);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await bundle(root));
}

let built: Promise<string> | undefined;

/** Returns the stand-in of Stripe.js as a script for the browser: as it was built, and in development as its sources are now. */
export function getStripeStandIn(isDevelopment: boolean): Promise<string> {
  if (isDevelopment) return bundle(ROOT);
  built ??= readFile(join(ROOT, BUILT), 'utf8').catch(() => bundle(ROOT));
  return built;
}

async function bundle(root: string): Promise<string> {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({ input: join(root, SOURCE), cwd: root });
  const { output } = await bundled.generate({ format: 'iife', minify: true });
  await bundled.close();
  return output[0].code;
}
