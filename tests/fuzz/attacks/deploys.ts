import { gzipSync } from 'node:zlib';
import { type DeploySite, hashOf, type SiteFiles, sendBatch } from '#tests/support/client/deploy-client.ts';
import type { RestResponse } from '#tests/support/client/rest-client.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import type { SeededRandom } from '#tests/support/seeded-random.ts';
import { attackerAddress, type FuzzAttack } from '../fuzz-attack.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import { happens, nonsenseText, nonsenseToken, pick, several } from '../nonsense.ts';
import { sendRequest } from './send-request.ts';

const VISITS = 12;
/** No response has a larger head, whatever a tenant writes into `_headers` and `_redirects`. */
const HEAD_BYTES_MAX = 64 * 1024;
const FILE_NAMES = [
  'index.html',
  '404.html',
  'docs/index.html',
  'a',
  'a/b',
  'constructor',
  'a.constructor',
  'x/__proto__',
  'toString.html',
  'robots.txt',
  'app-abcdef12.js',
];

/** Everything a tenant can deploy, in every way, and what a visitor then gets. */
export const deploys: FuzzAttack = {
  name: 'deploys',
  async round(target, random) {
    const site = pick(random, target.deploySites);
    const files = siteFiles(random);
    const response = await deployBy(random, site, files).catch((error: Error) => {
      // A connection that breaks while an archive is sent.
      if (error instanceof TypeError) return null;
      throw error;
    });
    if (response && response.status >= 500 && response.status !== 507) {
      target.report(`a deploy of ${describe(files)} got ${response.status}: ${response.text.slice(0, 300)}`);
    }
    for (let count = 0; count < VISITS; count += 1) await visit(target, random, site, files);
  },
};

async function visit(
  target: FuzzTarget,
  random: SeededRandom,
  site: DeploySite,
  files: SiteFiles,
): Promise<void> {
  const names = Object.keys(files);
  const path = happens(random, 70)
    ? pick(random, names.length > 0 ? names : [''])
    : nonsenseToken(random, 1_000);
  const isSecure = happens(random, 40);
  const sent = {
    port: isSecure ? target.httpsPort : target.server.edgePort,
    ...(isSecure ? { secureHost: site.host } : {}),
    method: happens(random, 90) ? 'GET' : 'HEAD',
    path: `/${encodeURI(path.toWellFormed()).replace(/[^!-~]/g, '')}`,
    headers: {
      host: site.host,
      ...(happens(random, 30) ? { 'accept-encoding': 'br, gzip' } : {}),
      ...(happens(random, 20) ? { range: `bytes=${pick(random, ['0-', '-1', '1-2', '5-'])}` } : {}),
    },
    localAddress: attackerAddress(random),
  };
  const response = await sendRequest(sent).catch((error: Error) => ({
    status: 599,
    text: error.message,
    headBytes: 0,
  }));
  if (response.status < 500 && response.headBytes <= HEAD_BYTES_MAX) return;
  target.report(
    `${sent.path.slice(0, 300)} of ${describe(files)} answers ${response.status} with a head of ${response.headBytes} bytes`,
  );
}

function siteFiles(random: SeededRandom): SiteFiles {
  const files: [string, string | Buffer][] = several(random, 12, () => [
    happens(random, 60) ? pick(random, FILE_NAMES) : nonsenseText(random, 400),
    happens(random, 80) ? nonsenseText(random) : random.bytes(random.below(20_000)),
  ]);
  if (happens(random, 70)) files.push(['index.html', '<h1>home</h1>']);
  if (happens(random, 70)) files.push(['_headers', headersFile(random)]);
  if (happens(random, 70)) files.push(['_redirects', redirectsFile(random)]);
  return Object.fromEntries(files);
}

const PATTERNS = [
  '/*',
  '/',
  '/a',
  '/a/*',
  '/:x/:y',
  '/*/*',
  '/%',
  '/docs',
  'x',
  '//',
  '/:a:b',
  `/${'*'.repeat(50)}`,
];
const HEADER_NAMES = [
  'X-A',
  'Cache-Control',
  'HTTP2-Settings',
  'Connection',
  'Transfer-Encoding',
  'Content-Length',
  'Set-Cookie',
  'X-Accel-Redirect',
  'ETag',
  ':status',
  'Link',
  'constructor',
  '__proto__',
];

function headersFile(random: SeededRandom): string {
  const rule = () => {
    const lines = several(random, happens(random, 10) ? 400 : 6, () => {
      const name = happens(random, 80) ? pick(random, HEADER_NAMES) : nonsenseText(random, 60);
      return `  ${happens(random, 10) ? '! ' : ''}${name}: ${nonsenseText(random, 2_000)}`;
    });
    return [pattern(random), ...lines].join('\n');
  };
  return several(random, 30, rule).join('\n');
}

function redirectsFile(random: SeededRandom): string {
  const target = () =>
    happens(random, 50)
      ? pick(random, [
          '/b',
          'https://example.ca/:splat',
          '/:splat',
          '/a/:x',
          '//evil',
          'javascript:x',
          '/old',
        ])
      : `/${':splat'.repeat(random.below(400))}${nonsenseText(random, 200)}`;
  const status = () => pick(random, ['', '301', '302', '200', '200!', '404', '999', '-1', 'x']);
  const rules = several(
    random,
    happens(random, 10) ? 2_500 : 30,
    () => `${pattern(random)} ${target()} ${status()}`,
  );
  return rules.join(pick(random, ['\n', '\r\n']));
}

function pattern(random: SeededRandom): string {
  return happens(random, 70) ? pick(random, PATTERNS) : `/${nonsenseText(random, 300)}`;
}

async function deployBy(random: SeededRandom, site: DeploySite, files: SiteFiles): Promise<RestResponse> {
  const versions = `${site.path}/versions`;
  switch (random.below(5)) {
    case 0:
    case 1: {
      const manifest = Object.entries(files).map(([path, content]) => [
        path,
        { sha256: hashOf(content), size: Buffer.byteLength(content) },
      ]);
      const opened = await site.client('POST', versions, { json: { files: Object.fromEntries(manifest) } });
      if (opened.status !== 201) return opened;
      const { id, missing } = JSON.parse(opened.text) as { id: string; missing: string[] };
      const contents = Object.values(files).map(
        (content) => [hashOf(content), Buffer.from(content)] as const,
      );
      const wanted = Object.fromEntries(contents.filter(([sha256]) => missing.includes(sha256)));
      await sendBatch(site.client, `${versions}/${id}`, wanted);
      return site.client('POST', `${versions}/${id}/seal`, { json: {} });
    }
    case 2:
      return sendArchive(site, 'application/zip', damage(random, packZip(files)));
    case 3:
      return sendArchive(site, 'application/x-tar', damage(random, await packTar(withoutLongNames(files))));
    default: {
      const archive = gzipSync(await packTar(withoutLongNames(files)));
      return sendArchive(site, 'application/gzip', damage(random, archive));
    }
  }
}

function sendArchive(site: DeploySite, type: string, archive: Buffer): Promise<RestResponse> {
  return site.client('POST', `${site.path}/versions`, {
    body: new Uint8Array(archive),
    headers: { 'content-type': type },
  });
}

/** Names that do not fit tar's header are truncated. */
function withoutLongNames(files: SiteFiles): SiteFiles {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path.slice(0, 60).replaceAll('\0', ''), content]),
  );
}

function damage(random: SeededRandom, archive: Buffer): Buffer {
  const damaged = Buffer.from(archive);
  if (happens(random, 40) || damaged.length === 0) return damaged;
  for (let count = 1 + random.below(8); count > 0; count -= 1) {
    damaged[random.below(damaged.length)] = random.below(256);
  }
  return happens(random, 20) ? damaged.subarray(0, random.below(damaged.length)) : damaged;
}

function describe(files: SiteFiles): string {
  const short = Object.entries(files).map(([path, content]) => [
    path.slice(0, 80),
    content.toString().slice(0, 400),
  ]);
  return JSON.stringify(Object.fromEntries(short)).slice(0, 2_500);
}
