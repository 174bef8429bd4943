import { resolve } from 'node:path';

export const DATA_DIR_DEFAULT = './data';

/** Returns the folder of the program's data, for what runs before the settings are read. */
export function dataDirOf({ DATA_DIR }: Record<string, string | undefined>): string {
  return resolve(DATA_DIR || DATA_DIR_DEFAULT);
}
