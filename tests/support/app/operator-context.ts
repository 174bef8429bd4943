import type { App, OperatorActor, RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { createOperatorToken } from '#server/services/operator/create-operator-token.ts';

/** Returns the context of an operator, by default at the command line. */
export function operatorContext(
  app: App,
  access: OperatorActor['access'] = 'manage',
): RequestContext & { actor: OperatorActor } {
  return {
    app,
    actor: { kind: 'operator', tokenId: null, name: 'command line', access },
    requestId: newId(),
    address: '',
  };
}

/** Creates an operator token and returns it with its id. */
export async function createTestOperatorToken(
  app: App,
  access: OperatorActor['access'],
  name = `${access} token`,
): Promise<{ id: string; token: string }> {
  const created = await createOperatorToken(operatorContext(app), { name, access });
  return { id: created.operator_token.id, token: created.token };
}

/** Creates a named organization managed by this installation, or by another issuer, without members. */
export async function insertNamedOrganization(
  app: App,
  values: Partial<{
    issuer: string;
    handle: string;
    name: string;
    detached_at: number;
    suspended_at: number;
  }> = {},
): Promise<string> {
  const now = app.clock.now();
  const id = newId(now);
  await app.db
    .insertInto('organizations')
    .values({
      id,
      external_id: `org-${id}`,
      issuer: 'embedded',
      upstream_id: id,
      handle: id,
      name: 'Rivers',
      description: null,
      website: null,
      location: null,
      avatar_url: null,
      features: '[]',
      created_at: now,
      updated_at: now,
      ...values,
    })
    .execute();
  return id;
}
