import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_NAMES } from '#server/config/config.ts';

describe('.env.example', () => {
  it('lists exactly the settings that are read', () => {
    const text = readFileSync(join(process.cwd(), '.env.example'), 'utf8');
    const listed = [...text.matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name);
    // NODE_ENV belongs to Node; `npm run dev` sets it.
    expect(listed.sort()).toEqual(ENVIRONMENT_NAMES.filter((name) => name !== 'NODE_ENV').sort());
  });
});
