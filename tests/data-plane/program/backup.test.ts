import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, it, onTestFinished } from 'vitest';
import { registerDeployer } from '#tests/support/client/deploy-client.ts';
import { runOperatorProgram } from '#tests/support/server/run-operator.ts';
import { startTestServer } from '#tests/support/server/test-server.ts';
import { makeBuckets } from '#tests/support/storage/s3-client.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

it('a backup under load, restored, contains every deploy and object that was acknowledged before it', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.close());
  const folder = await makeTemporaryFolder({});
  const acknowledged: { host: string; mark: string }[] = [];
  const deployer = await registerDeployer(server);
  const site = await deployer.createSite('Loaded');
  const maker = makeBuckets(server, deployer.person);
  const bucket = await maker.createBucket(`loaded-${Date.now()}`);
  const keys = await maker.createKeys([bucket.id]);
  const client = maker.client(keys);
  await client.send(new PutObjectCommand({ Bucket: bucket.name, Key: 'kept', Body: 'object' }));
  client.destroy();
  let before: typeof acknowledged = [];
  let isOver = false;
  const deploy = async () => {
    while (!isOver) {
      const mark = `mark ${acknowledged.length}`;
      const { previewHost } = await site.deploy({ 'index.html': mark, 'other.txt': `${mark} too` });
      acknowledged.push({ host: previewHost, mark });
    }
  };
  const deploying = deploy();
  try {
    await expect.poll(() => acknowledged.length).toBeGreaterThan(2);
    before = [...acknowledged];
    const backup = await runOperatorProgram(['backup', folder], server.environment);
    expect(backup.stderr).toBe('');
    expect(backup.code).toBe(0);
  } finally {
    isOver = true;
    await deploying;
  }
  expect(acknowledged.length).toBeGreaterThan(before.length);
  await server.stop();

  const dataDir = await makeTemporaryFolder({});
  const settings = { ...server.environment, DATA_DIR: dataDir };
  const checked = await runOperatorProgram(['restore', folder, '--check'], settings);
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('It can be restored.') });
  expect(await runOperatorProgram(['restore', folder], settings)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^MASTER_KEY is missing/),
  });
  await copyFile(join(server.dataDir, 'master.key'), join(dataDir, 'master.key'));
  expect(await runOperatorProgram(['restore', folder], settings)).toMatchObject({ code: 0, stderr: '' });
  expect(await runOperatorProgram(['restore', folder], settings)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^DATA_DIR already contains a database/),
  });
  const restored = await startTestServer({ DATA_DIR: dataDir });
  try {
    for (const { host, mark } of before) expect((await restored.edge(host, '/')).text).toBe(mark);
    const again = makeBuckets(restored, deployer.person).client(keys);
    const { Body } = await again.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'kept' }));
    expect(await Body?.transformToString()).toBe('object');
    again.destroy();
  } finally {
    await restored.close();
  }
});
