import { expect, it } from 'vitest';
import { toAppError } from '#server/errors.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createCredential } from '../credentials/create-credential.ts';
import { listVersionFiles } from '../deployments/manifests/list-version-files.ts';
import { openVersion } from '../deployments/open-version.ts';
import { authenticateAccount } from '../identity/accounts/authenticate-account.ts';
import { registerAccount } from '../identity/accounts/register-account.ts';
import { revokeSession } from '../identity/sessions/revoke-session.ts';
import { createOperatorToken } from '../operator/create-operator-token.ts';
import { getOrganizationForOperator } from '../operator/get-organization-for-operator.ts';
import { listOrganizationsForOperator } from '../operator/list-organizations-for-operator.ts';
import { setOrganizationFeatures } from '../operator/set-organization-features.ts';
import { setOrganizationMember } from '../operator/set-organization-member.ts';
import { suspendOrganization } from '../operator/suspend-organization.ts';
import { createOrganization } from '../organizations/create-organization.ts';
import { listInvitations } from '../organizations/invitations/list-invitations.ts';
import { updateOrganizationInput } from '../organizations/schema.ts';
import { createSite } from '../sites/create-site.ts';
import { listSites } from '../sites/list-sites.ts';
import { lineSchema, proseSchema, shownLineSchema } from './schema.ts';

it('a zero byte in any text is refused by us, because PostgreSQL would report it as a defect', async () => {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const anybody = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '192.0.2.7' };
  const context = await createNamedOrganization(person, { handle: 'rivers' });
  const organization_id = context.organization.id;
  const operator = operatorContext(app);
  const { id: site_id } = await createSite(context, { name: 'Site' });
  const { version_id } = await deployTestFiles(context, site_id, { 'index.html': '1' });
  const text = 'a\0b';
  const account = {
    full_name: 'Ada',
    login: 'ada',
    email: 'ada@example.ca',
    password: 'correct horse battery',
  };
  const organization = { name: 'Lakes', handle: 'lakes' };
  const works: Record<string, () => Promise<unknown>> = {
    'an address to sign in': () => authenticateAccount(anybody, { email: text, password: 'x' }),
    'a name': () => registerAccount(anybody, { ...account, full_name: text }),
    'a session': () => revokeSession(person.context, { session_id: text }),
    'a page of invitations': () => listInvitations(context, { cursor: text }),
    'a page of sites': () => listSites(context, { cursor: text }),
    'a page of files': () =>
      listVersionFiles(context, { site_id, version_id, cursor: Buffer.from(text).toString('base64url') }),
    'a message': () => openVersion(context, { site_id, files: {}, message: text }),
    'a description': () => createCredential(context, { name: 'x', description: text, scopes: [] }),
    'a website': () =>
      createOrganization(person.context, { ...organization, website: `https://x.ca/${text}` }),
    'a picture': () =>
      createOrganization(person.context, { ...organization, avatar_url: `https://x.ca/${text}` }),
    'a search of operators': () => listOrganizationsForOperator(operator, { search: text }),
    'a page of operators': () => listOrganizationsForOperator(operator, { cursor: text }),
    'a reference': () => getOrganizationForOperator(operator, { organization_id: text }),
    'the name of a token': () => createOperatorToken(operator, { name: text, access: 'read' }),
    'a member': () => setOrganizationMember(operator, { organization_id, member: text, permission: 'read' }),
    'a feature': () => setOrganizationFeatures(operator, { organization_id, features: [text] }),
    'a reason': () => suspendOrganization(operator, { organization_id, reason: text }),
  };
  for (const [what, work] of Object.entries(works)) {
    const response = await work().then(
      () => 'accepted',
      (error: unknown) => toAppError(error).code,
    );
    expect.soft(response, what).toBe('invalid_input');
  }
});

it('a name that others read shows something and turns the direction of nothing after it', () => {
  expect(shownLineSchema.parse(' Ada\u202e Lovelace\u2066 ')).toBe('Ada Lovelace');
  expect(shownLineSchema.parse('שלום')).toBe('שלום');
  for (const nothing of ['\u200b', '\u3164', '\u2800\u00a0', '\u202e', '\u{e0041}', '']) {
    expect(shownLineSchema.parse(nothing), JSON.stringify(nothing)).toBe('');
  }
  expect(() => shownLineSchema.parse('a\r\nBcc: b@example.ca')).toThrow(/control characters/);
});

it('half a character is refused, and a whole one of two halves is not', () => {
  for (const schema of [lineSchema, shownLineSchema, proseSchema]) {
    expect(schema.parse('a 🦄')).toBe('a 🦄');
    for (const half of ['a\ud83e', '\udd84', 'a\udd84\ud83e']) {
      expect(() => schema.parse(half)).toThrow('must not contain half a character');
    }
  }
});

it('the website of an organization is not read as one and led to another', () => {
  const websiteOf = (website: string) => updateOrganizationInput.safeParse({ website }).success;
  expect(websiteOf('https://example.ca/@ada')).toBe(true);
  expect(websiteOf('https://example.ca@elsewhere.example')).toBe(false);
  expect(websiteOf('https://a:b@elsewhere.example/')).toBe(false);
});
