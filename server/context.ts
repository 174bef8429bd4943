import type { Db } from '#db/client.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { EdgeChanges } from './edge-changes.ts';
import { AppError } from './errors.ts';
import type { Logger } from './logger.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Sealer } from './sealer.ts';
import {
  ACTION_PERMISSION,
  type Action,
  isAllowed,
  type Permission,
} from './services/organizations/rules.ts';
import type { BlobStore } from './store/blob-store.ts';

/** What one process shares: built once by the composition root and handed down; no module holds a global. */
export interface App {
  config: Config;
  db: Db;
  clock: Clock;
  logger: Logger;
  /** Seals secrets under MASTER_KEY. */
  sealer: Sealer;
  blobs: BlobStore;
  /** Counts attempts and requests; one set for every surface of the process, so that they count together. */
  rateLimits: RateLimits;
  /** Tells the edges, after commit, what to forget. */
  edgeChanges: EdgeChanges;
}

/** A person signed in through the browser. */
export interface PersonActor {
  kind: 'person';
  userId: string;
  login: string;
  sessionId: string;
  /** The context stored with the session, used where an address names no organization. */
  organizationId: string | null;
}

/** A credential: it reaches only the resources in its scopes, within its organization. */
export interface CredentialActor {
  kind: 'credential';
  credentialId: string;
  name: string;
  organizationId: string;
  scopes: readonly CredentialScope[];
}

export interface CredentialScope {
  resource_type: 'site' | 'bucket';
  resource_id: string;
  permissions: readonly ('read' | 'write')[];
}

/** Work that runs by itself. */
export interface JobActor {
  kind: 'job';
  name: string;
}

export interface AnonymousActor {
  kind: 'anonymous';
}

export type Actor = PersonActor | CredentialActor | JobActor | AnonymousActor;

/** Who asks, and the request it belongs to. Verbs take it first. */
export interface RequestContext {
  app: App;
  actor: Actor;
  requestId: string;
  /** The client's address, for limits and the audit log. */
  address: string;
}

/** A request inside one organization, whose membership has been checked. */
export interface OrganizationContext extends RequestContext {
  organization: { id: string; permission: Permission; features: readonly string[] };
}

/** Goes on when the actor may do this in the organization. @throws permission_required, unauthenticated */
export function requireAction(context: OrganizationContext, action: Action): void {
  if (context.actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (context.actor.kind === 'job') return;
  if (!isAllowed(context.organization.permission, action)) {
    throw new AppError('permission_required', { permission: ACTION_PERMISSION[action] });
  }
}

/** Returns the signed-in person. @throws unauthenticated, or person_required for a credential */
export function requirePerson(context: RequestContext): PersonActor {
  if (context.actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (context.actor.kind !== 'person') throw new AppError('person_required');
  return context.actor;
}

/**
 * Goes on when the actor's scopes reach the site; persons and jobs have no scopes and always go on.
 * @throws out_of_scope
 */
export function requireSiteScope(
  context: RequestContext,
  siteId: string,
  permission: 'read' | 'write',
): void {
  if (context.actor.kind !== 'credential') return;
  const isReached = context.actor.scopes.some(
    (scope) =>
      scope.resource_type === 'site' &&
      scope.resource_id === siteId &&
      scope.permissions.includes(permission),
  );
  if (!isReached) throw new AppError('out_of_scope');
}

/** How the actor is named where people read it: a login, a credential's name, a job's. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'person':
      return actor.login;
    case 'credential':
    case 'job':
      return actor.name;
    case 'anonymous':
      return 'anonymous';
  }
}
