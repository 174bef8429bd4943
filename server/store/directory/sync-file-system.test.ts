import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { syncFileSystem } from './sync-file-system.ts';

it('everything on a file system is synced at once, and each caller learns its own result', async () => {
  const folder = await makeTemporaryFolder({});
  const responses = await Promise.all(
    [folder, `${folder}/missing`, folder, "/'; exit 0 #"].map(syncFileSystem),
  );
  expect(responses).toEqual([true, false, true, false]);
});

it('without the command it returns false, so that each file is synced individually', async () => {
  const script = `import { syncFileSystem } from '#server/store/directory/sync-file-system.ts';
    console.log(await syncFileSystem('/tmp'), await syncFileSystem('/tmp'));
    process.exit(0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: '/nowhere' },
  });
  expect(stdout).toBe('false false\n');
});
