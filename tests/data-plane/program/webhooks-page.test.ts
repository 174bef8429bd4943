import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { registerDeployer, requireStatus } from '#tests/support/client/deploy-client.ts';
import { freePort } from '#tests/support/free-port.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { LOCAL_WEBHOOKS } from '#tests/support/webhooks/webhook-receiver.ts';

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'webhooks.md');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(LOCAL_WEBHOOKS);
});
afterAll(() => server.close());

it.each([
  ['Node.js', 'js', process.execPath, 'receiver.mjs'],
  // Debian's own, whatever else is called python3 here.
  ['Python', 'python', '/usr/bin/python3', 'receiver.py'],
])(
  'the receiver for %s in the documentation accepts what is signed, once, and nothing else',
  async (_, language, command, file) => {
    const deployer = await registerDeployer(server);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const events = ['deploy.published'];
    const created = requireStatus(
      await deployer.person('POST', '/api/v1/webhooks', { json: { url, events } }),
      201,
    );
    const { webhook, secret } = JSON.parse(created.text);
    const page = await readFile(PAGE, 'utf8');
    const program = page.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
    const folder = await makeTemporaryFolder({ [file]: program });
    const receiver = spawn(command, [join(folder, file)], {
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(async () => {
      await endProcess(receiver, 'SIGKILL');
    });
    const lines: string[] = [];
    createInterface({ input: receiver.stdout }).on('line', (line) => lines.push(line));
    const forge = () =>
      fetch(url, {
        method: 'POST',
        headers: {
          'webhook-id': 'forged',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
        },
        body: '{"type":"deploy.published"}',
      }).then(
        ({ status }) => status,
        () => null,
      );
    await expect.poll(forge, { timeout: 10_000 }).toBe(400);
    const site = await deployer.createSite(`Told ${language}`);
    await site.deploy({ 'index.html': 'hello' });
    await expect.poll(() => lines[0], { timeout: 10_000 }).toContain('deploy.published');
    const messages = `/api/v1/webhooks/${webhook.id}/messages`;
    const logOf = async () => JSON.parse((await deployer.person('GET', messages)).text);
    await expect.poll(async () => (await logOf())[0].status, { timeout: 10_000 }).toBe('delivered');
    const [message] = await logOf();
    requireStatus(await deployer.person('POST', `${messages}/${message.id}/redeliver`), 200);
    await expect.poll(async () => (await logOf())[0].attempts.length, { timeout: 10_000 }).toBe(2);
    expect(lines.filter((line) => line.includes('deploy.published'))).toHaveLength(1);
  },
);
