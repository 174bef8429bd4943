import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagePlaces } from '#server/console/page-places.ts';
import { currentBuild } from '#server/program/kept-builds.ts';
import { toOpenApi } from '#server/rest/openapi/openapi.ts';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { weighFirstScripts } from '#tests/support/browser/first-scripts.ts';
import { registerAndSignIn, type SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { propertiesOf } from '#tests/support/openapi/property-words.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

/** Each file costs a head of its own, and compresses alone. */
const FILES_MAX = 15;

let server: TestServer;
let person: SignedInBrowser;
beforeAll(async () => {
  server = await startTestServer();
  person = await registerAndSignIn(server.consoleUrl);
});
afterAll(() => server.close());

// The aim is 170 KB for each; these bounds keep what was reached, to a hundred bytes (React, the router and queries alone are 107). The
// names of files are hashes of their content, and compress to some ten bytes more or less with every build.
describe('the scripts that a page needs before it answers', () => {
  it.each([
    ['dashboard', '', 170_000],
    ['sites list', '/sites', 168_000],
  ])('stay bounded for the %s', async (_, path, bytesMax) => {
    const headers = { cookie: person.cookie };
    const weight = await weighFirstScripts(`${server.consoleUrl}${person.landedAt}${path}`, headers);
    expect(weight.bytes).toBeLessThan(bytesMax);
    expect(weight.files).toBeLessThan(FILES_MAX);
    // What only a script names is found a round trip later.
    expect(weight.unannounced).toEqual([]);
  });

  it.each([
    ['page', '/login', 154_240],
    ['form', '/auth/login', 170_300],
  ])('stay bounded for the sign-in %s', async (_, path, bytesMax) => {
    const weight = await weighFirstScripts(`${server.consoleUrl}${path}`, {});
    expect(weight.bytes).toBeLessThan(bytesMax);
    expect(weight.files).toBeLessThan(FILES_MAX);
    expect(weight.unannounced).toEqual([]);
  });
});

it('the scripts of no page have the words that describe the API', async () => {
  const document = toOpenApi(REST_ROUTES, { publicUrl: server.consoleUrl, productName: 'Portage' });
  const sentences = new Set(propertiesOf(document).flatMap(({ words }) => words.split(/(?<=[.:;]) /)));
  const telling = [...sentences].filter((sentence) => sentence.length > 40);
  expect(telling.length).toBeGreaterThan(200);
  const folder = join(await currentBuild(pagePlaces(process.cwd())), 'client');
  const scripts: string[] = [];
  for await (const file of glob('**/*.js', { cwd: folder })) {
    scripts.push(await readFile(join(folder, file), 'utf8'));
  }
  expect(scripts.length).toBeGreaterThan(100);
  expect(telling.filter((sentence) => scripts.some((script) => script.includes(sentence)))).toEqual([]);
});
