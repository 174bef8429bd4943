import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { newId, newLabel } from '#server/ids.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { connectMachines, type MachineCopy, startMachineCopy } from '#tests/support/server/machine-copy.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';
import { commandsRunBy, fencedBlocks } from '#tests/support/sources/documented-commands.ts';

/**
 * The page's own addresses and names, on two machines with a cable between them: one is the name server, with the mapping of
 * port 53 that the page shows, the other is somebody on the internet, whose root, `ca` and `example.ca` a Knot answers for.
 */
const ROOT = join(import.meta.dirname, '..', '..', '..');
const SERVER = '192.0.2.10';
const INTERNET = '192.0.2.53';
const KNOT = `
server:
  rundir: "/run"
  listen: "${INTERNET}@53"
database:
  storage: "/run"
log:
  - target: stderr
    any: warning
zone:
  - domain: .
    file: "/etc/knot-root"
  - domain: ca
    file: "/etc/knot-ca"
  - domain: example.ca
    file: "/etc/knot-example"
`;
const SOA = '@ 3600 SOA ns.example.ca. hostmaster.example.ca. 1 3600 600 604800 0';
const commands = commandsRunBy(import.meta.filename).map(({ text }) => text);

let page: string;
let dataDir: string;
let label: string;
let nameServer: MachineCopy;
let internet: MachineCopy;
const running: ChildProcess[] = [];

beforeAll(async () => {
  ensureDebianPackages(['bind9', 'bind9-dnsutils', 'knot', 'nftables']);
  page = await readFile(join(ROOT, 'docs', 'operating', 'dns.md'), 'utf8');
  dataDir = await mkdtemp(join(tmpdir(), 'portage-documented-dns-'));
  [nameServer, internet] = await Promise.all([
    startMachineCopy({ shows: [ROOT, dataDir] }),
    startMachineCopy(),
  ]);
  await connectMachines(nameServer, `${SERVER}/24`, internet, `${INTERNET}/24`);
  await startNameServer();
  label = await addCertificate();
  await startInternet();
});
afterAll(async () => {
  for (const child of running) await endProcess(child, 'SIGTERM');
  await Promise.all([nameServer?.close(), internet?.close()]);
  await removeFolder(dataDir);
});

/** Returns the first block of the page in a language that holds a text. */
function blockWith(language: string, holds: string): string {
  const found = fencedBlocks(page).find((block) => block.language === language && block.body.includes(holds));
  if (!found) throw new Error(`the page has no ${language} with ${holds}`);
  return found.body;
}

/** Starts the role with the page's own settings, on the port that needs no right. */
async function startNameServer(): Promise<void> {
  const settings = blockWith('dotenv', 'DNS_NAME_SERVERS=').trim().split('\n');
  const environment = {
    ...programEnvironment(),
    ...Object.fromEntries(settings.map((line) => line.split(/=(.*)/).slice(0, 2))),
    ROLES: 'dns',
    DATA_DIR: dataDir,
  };
  const child = nameServer.start(`cd ${ROOT}; exec ${process.execPath} server/main.ts`, { environment });
  running.push(child);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await pollUntil(
    async () => said,
    (text) => text.includes('"role":"dns"'),
  );
}

/** A certificate that is waited for, whose challenge has no value yet. Returns what its name begins with. */
async function addCertificate(): Promise<string> {
  const db = openDatabase(`sqlite:${join(dataDir, 'portage.sqlite')}`);
  const now = Date.now();
  const id = newLabel();
  const times = { next_check_at: now + 3_600_000, created_at: now, updated_at: now };
  const row = { id: newId(now), domain_name: 'www.example.ca', dns_challenge_id: id, ...times };
  await db.insertInto('certificate_bundles').values(row).execute();
  await db.destroy();
  return id;
}

async function startInternet(): Promise<void> {
  const zones = {
    root: `${SOA}\n@ NS a.root.\na.root. A ${INTERNET}\nca. NS ns.ca.\nns.ca. A ${INTERNET}\n`,
    ca: `${SOA}\n@ NS ns.ca.\nns A ${INTERNET}\nexample NS ns.example.ca.\nns.example A ${INTERNET}\n`,
    example: `${SOA}\n@ NS ns.example.ca.\nns A ${INTERNET}\n${blockWith('dns-zone', 'zone example.ca')}`,
  };
  for (const [name, zone] of Object.entries(zones)) {
    await writeFile(join(internet.root, 'etc', `knot-${name}`), zone);
  }
  await writeFile(join(internet.root, 'etc', 'knot-internet.conf'), KNOT);
  await internet.mustRun(`rm -f /etc/resolv.conf; echo "nameserver ${INTERNET}" > /etc/resolv.conf`);
  running.push(internet.start('exec knotd -c /etc/knot-internet.conf'));
  await pollUntil(
    () => internet.run(`dig +short +tries=1 +time=1 @${INTERNET} example.ca NS`),
    ({ stdout }) => stdout.includes('ns.example.ca.'),
  );
}

describe('the name server as the page sets it up', () => {
  it.each(commands.filter((text) => text.startsWith('nft ')))(
    'is reached at port 53 after: %s',
    async (block) => {
      const asked = `dig +tries=1 +time=2 @${SERVER} acme.example.ca SOA`;
      expect((await internet.run(asked)).stdout).not.toContain('ANSWER SECTION');
      await nameServer.mustRun(block);
      expect((await internet.run(asked)).stdout).toContain('ANSWER SECTION');
    },
  );

  const questions = commands.filter((text) => text.startsWith('dig ')).flatMap((block) => block.split('\n'));
  const ANSWERS: Record<string, RegExp> = {
    SOA: /^acme\.example\.ca\.\s.*\sSOA\sns1\.example\.ca\. /m,
    NS: /^acme\.example\.ca\.\s.*\sNS\sns1\.example\.ca\.\n.*\sNS\sns2\.example\.ca\.$/m,
    A: /^anything\.edge\.example\.ca\.\s.*\sA\s192\.0\.2\.10$/m,
    TXT: /status: NOERROR.*\n.*ANSWER: 0,/,
  };

  it.each(questions)('%s', async (question) => {
    const { code, stdout } = await internet.run(question.replace('{id}', label));
    expect(code).toBe(0);
    const kind = question.split(' ').at(-1) ?? '';
    expect(stdout).toMatch(ANSWERS[kind] ?? /there is no such question/);
    if (question.includes('+trace')) expect(stdout).toMatch(/Received \d+ bytes from 192\.0\.2\.10#53/);
  });

  it('has no challenge of an id that no certificate has', async () => {
    const { stdout } = await internet.run(`dig @${SERVER} ${newLabel()}.acme.example.ca TXT`);
    expect(stdout).toContain('status: NXDOMAIN');
  });
});

describe('a name server of one’s own, as the page sets it up', () => {
  it('is understood by BIND, with the key that tsig-keygen prints', async () => {
    const [keygen = ''] = commands.filter((text) => text.startsWith('tsig-keygen'));
    const key = await internet.mustRun(keygen);
    await writeFile(join(internet.root, 'etc', 'named-page.conf'), `${key}\n${blockWith('text', 'zone "')}`);
    expect(await internet.mustRun('named-checkconf /etc/named-page.conf')).toBe('');
  });

  it('is understood by Knot, with the key that keymgr prints', async () => {
    const [keymgr = ''] = commands.filter((text) => text.startsWith('keymgr'));
    const secret = / {2}secret: (\S+)/.exec(await internet.mustRun(keymgr))?.[1] ?? '';
    expect(secret).toMatch(/^[\w+/]+=$/);
    const configuration = blockWith('yaml', 'update-type: TXT').replace('{secret}', secret);
    await writeFile(join(internet.root, 'etc', 'knot-page.conf'), configuration);
    await internet.mustRun('knotc -c /etc/knot-page.conf conf-check');
  });
});
