import type { OrganizationContext } from '#server/context.ts';
import { AppError, invalidField } from '#server/errors.ts';
import type { ManifestEntry } from '../schema.ts';
import { type ManifestFile, manifestSteps } from './manifest-rules.ts';

/** Checked files with their stored paths, sorted. */
export interface Manifest {
  files: ManifestFile[];
  totalBytes: number;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Yields the entries of a received manifest. @throws invalid_input naming the first invalid one */
export function* manifestEntries(files: Record<string, ManifestEntry>): Generator<ManifestFile> {
  for (const path in files) {
    if (!Object.hasOwn(files, path)) continue;
    const entry: Partial<ManifestEntry> | null | undefined = files[path];
    if (typeof entry?.sha256 !== 'string' || !SHA256.test(entry.sha256)) {
      throw invalidEntry(path, 'sha256', 'a SHA-256 in 64 lower-case hexadecimal digits');
    }
    if (!Number.isSafeInteger(entry.size) || typeof entry.size !== 'number' || entry.size < 0) {
      throw invalidEntry(path, 'size', 'a whole number of bytes');
    }
    yield { path, sha256: entry.sha256, size: entry.size };
  }
}

function invalidEntry(path: string, field: string, message: string): AppError {
  const name = `files.${JSON.stringify(path.slice(0, 200)).slice(1, -1)}.${field}`;
  return invalidField(name, message);
}

/**
 * Returns checked files, letting other work run meanwhile.
 * @throws the code of the first problem with the manifest
 */
export async function requireManifest(
  { app, organization }: OrganizationContext,
  given: Iterable<ManifestFile>,
): Promise<Manifest> {
  const slice = app.slices.begin(organization.id);
  const checked = await slice.run(manifestSteps(given, app.config.deployLimits));
  if (!checked.ok) throw new AppError(checked.problem.code, checked.problem.params);
  return checked;
}
