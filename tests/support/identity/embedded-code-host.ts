import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createOrganization } from '#server/services/organizations/create-organization.ts';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import type { Permission } from '#server/services/organizations/rules.ts';
import { updateOrganization } from '#server/services/organizations/update-organization.ts';
import { createEmbeddedPerson, type EmbeddedPerson } from '../app/embedded-person.ts';
import { registerAndSignIn } from '../client/sign-in.ts';
import { type ConsoleServer, startConsoleServer } from '../server/console-server.ts';
import type { HostOrganizationFields } from './describe-code-host.ts';
import { createRelyingParty, type RelyingParty } from './relying-party.ts';

/**
 * A console with the embedded identity service, a person who creates organizations, and a program that
 * queries them.
 */
export interface EmbeddedCodeHost extends ConsoleServer {
  founder: EmbeddedPerson;
  party: RelyingParty;
  /** Returns the organization's number, as text. The founder is its owner. */
  createOrganization(fields: HostOrganizationFields): Promise<string>;
  updateOrganization(number: string, fields: Partial<HostOrganizationFields>): Promise<void>;
  /** Grants, changes or (null) removes a membership. */
  setPermission(number: string, login: string, permission: Permission | null): Promise<void>;
}

export async function startEmbeddedCodeHost(): Promise<EmbeddedCodeHost> {
  const rateLimits = createRateLimits({ organization_create_person: { points: 1000, seconds: 3600 } });
  const { app, baseUrl } = await startConsoleServer({
    rateLimits,
    environment: { LIMIT_ORGANIZATIONS_OF_PERSON: '1000' },
  });
  const founder = await createEmbeddedPerson(app, 'founder');
  const idOf = async (number: string) => {
    const { id } = await app.db
      .selectFrom('organizations')
      .select('id')
      .where('external_id', '=', `org-${number}`)
      .executeTakeFirstOrThrow();
    return id;
  };
  return {
    app,
    baseUrl,
    founder,
    party: await createRelyingParty(app, baseUrl),

    async createOrganization(fields) {
      const { organization } = await createOrganization(founder.context, fields);
      return organization.external_id.replace('org-', '');
    },

    async updateOrganization(number, fields) {
      const context = await resolveOrganization(founder.context, await idOf(number));
      await updateOrganization(context, fields);
    },

    async setPermission(number, login, permission) {
      const organization_id = await idOf(number);
      const { id: user_id } = await app.db
        .selectFrom('users')
        .select('id')
        .where('login', '=', login)
        .executeTakeFirstOrThrow();
      await app.db
        .deleteFrom('memberships')
        .where('organization_id', '=', organization_id)
        .where('user_id', '=', user_id)
        .execute();
      if (permission === null) return;
      const created_at = app.clock.now();
      await app.db
        .insertInto('memberships')
        .values({ organization_id, user_id, permission, created_at })
        .execute();
    },
  };
}

/** Returns a person who has registered at the console and signed in elsewhere with the account. */
export async function createMember(host: EmbeddedCodeHost, login = 'ada') {
  const { browser, account } = await registerAndSignIn(host.baseUrl, { login, full_name: `Person ${login}` });
  const tokens = await host.party.signIn(browser);
  return { browser, account, tokens, token: tokens.access_token };
}
