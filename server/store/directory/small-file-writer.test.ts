import { hash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { SmallFileWriter } from './small-file-writer.ts';

it('a single file does not wait for the thousands of another client', async () => {
  const folder = await makeTemporaryFolder({});
  const writer = new SmallFileWriter();
  const content = Buffer.from('x');
  const write = (name: string, client: string) =>
    writer.write(
      {
        temporaryPath: join(folder, `${name}.new`),
        path: join(folder, name),
        content,
        sha256: hash('sha256', content),
      },
      client,
    );
  let written = 0;
  const many = Array.from({ length: 8_000 }, (_, index) =>
    write(`many-${index}`, 'many').then(() => {
      written += 1;
    }),
  );
  await many[0];
  await write('one', 'one');
  expect(written).toBeLessThan(6_000);
  await Promise.all(many);
  expect(written).toBe(8_000);
});
