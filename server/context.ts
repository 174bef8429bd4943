import type { Registry } from 'prom-client';
import type { Db } from '#db/client.ts';
import type { CertificateAuthority } from './authority/authority.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { ChallengeUpdates, DnsLookup } from './dns-client/dns-lookup.ts';
import { AppError } from './errors.ts';
import type { IdentityTokens } from './identity-tokens/check-identity-token.ts';
import type { ConnectionBudget } from './limits/connection-budget.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import type { Logger } from './logging/logger.ts';
import type { Outgoing } from './outgoing/outgoing.ts';
import type { Payments } from './payments/open-payments.ts';
import type { Sealer } from './secrets/sealer.ts';
import type { EdgeChanges } from './services/edge-changes/edge-changes.ts';
import {
  ACTION_PERMISSION,
  type Action,
  isAllowed,
  type Permission,
} from './services/organizations/rules.ts';
import type { BlobStore } from './store/blob-store.ts';
import type { DiskReserve } from './store/disk-reserve.ts';
import type { Neighbours } from './supervisor/neighbours.ts';
import type { DeployWork } from './work/deploy-work.ts';

/** What one process shares: built once by the composition root and handed down; no module holds a global. */
export interface App {
  config: Config;
  db: Db;
  clock: Clock;
  logger: Logger;
  /** The way out to everything but the database. */
  outgoing: Outgoing;
  /** Seals secrets under MASTER_KEY. */
  sealer: Sealer;
  blobs: BlobStore;
  /** Room on the disk of the database file; null where the database is a server of its own. */
  databaseDisk: DiskReserve | null;
  /** Who issues certificates. */
  authority: CertificateAuthority;
  /** Who collects money; null where nothing is billed. */
  payments: Payments | null;
  /** Looks up what customers have set. */
  lookup: DnsLookup;
  /** Checks who runs at a code host. */
  identityTokens: IdentityTokens;
  /** The operator's own name server for challenges; null where our DNS role answers them. */
  challengeUpdates: ChallengeUpdates | null;
  /** Counts attempts and requests; one set for every surface of the process, so that they count together. */
  rateLimits: RateLimits;
  /** How many connections the process may hold, whichever door they come through. */
  connections: ConnectionBudget;
  /** Bounds of what deploys make this process do, shared fairly among organizations. */
  deployWork: DeployWork;
  /** Tells the edges, after commit, what to forget. */
  edgeChanges: EdgeChanges;
  /** The other processes of this machine. */
  neighbours: Neighbours;
  /** The process's own figures for Prometheus, which the console shows at `/metrics`. */
  metrics: Registry;
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
  /** False where it deploys previews only; absent where that does not matter. */
  mayPublish?: boolean;
  scopes: readonly CredentialScope[];
}

/** Whoever runs this installation, by a token, in the console or at its command line: inside every organization, never as its owner. */
export interface OperatorActor {
  kind: 'operator';
  /** Null at the command line. */
  tokenId: string | null;
  /** Of an operator who is signed in to the console. */
  userId?: string;
  name: string;
  /** `read` looks, `manage` also changes. */
  access: 'read' | 'manage';
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

export type Actor = PersonActor | CredentialActor | OperatorActor | JobActor | AnonymousActor;

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
  organization: {
    id: string;
    permission: Permission;
    features: readonly string[];
    /** By an operator: everything can be read and nothing changed. */
    isSuspended: boolean;
  };
}

/**
 * Goes on when the actor may do this in the organization. In a suspended one, only operators change anything.
 * @throws permission_required, organization_suspended, unauthenticated
 */
export function requireAction(context: OrganizationContext, action: Action): void {
  const { actor, organization } = context;
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (actor.kind === 'job') return;
  if (!isAllowed(organization.permission, action)) {
    throw new AppError('permission_required', { permission: ACTION_PERMISSION[action] });
  }
  if (actor.kind !== 'operator' && organization.isSuspended && ACTION_PERMISSION[action] !== 'read') {
    throw new AppError('organization_suspended');
  }
}

/**
 * Returns the operator who asks.
 * @throws unauthenticated; operator_required for anybody else, and for a token that only looks when `access` is `manage`
 */
export function requireOperator(context: RequestContext, access: OperatorActor['access']): OperatorActor {
  const { actor } = context;
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (actor.kind !== 'operator' || (access === 'manage' && actor.access !== 'manage')) {
    throw new AppError('operator_required', { access });
  }
  return actor;
}

/** Returns the signed-in person. @throws unauthenticated, or person_required for anybody else */
export function requirePerson(context: RequestContext): PersonActor {
  if (context.actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (context.actor.kind !== 'person') throw new AppError('person_required');
  return context.actor;
}

/**
 * Goes on when the actor's scopes reach the site; others have no scopes and always go on.
 * @throws out_of_scope
 */
export function requireSiteScope(
  context: RequestContext,
  siteId: string,
  permission: 'read' | 'write',
): void {
  requireScope(context, 'site', siteId, permission);
}

/**
 * Goes on when the actor's scopes reach the bucket; others have no scopes and always go on.
 * @throws out_of_scope
 */
export function requireBucketScope(
  context: RequestContext,
  bucketId: string,
  permission: 'read' | 'write',
): void {
  requireScope(context, 'bucket', bucketId, permission);
}

function requireScope(
  { actor }: RequestContext,
  type: CredentialScope['resource_type'],
  id: string,
  permission: 'read' | 'write',
): void {
  if (actor.kind !== 'credential') return;
  const isReached = actor.scopes.some(
    (scope) =>
      scope.resource_type === type && scope.resource_id === id && scope.permissions.includes(permission),
  );
  if (!isReached) throw new AppError('out_of_scope');
}

/** Goes on when the actor may change what is live. @throws publish_not_allowed for a program that makes previews only */
export function requirePublishRight({ actor }: RequestContext): void {
  if (actor.kind === 'credential' && actor.mayPublish === false) throw new AppError('publish_not_allowed');
}

/** How the actor is named where people read it: a login, a credential's name, a job's. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'person':
      return actor.login;
    case 'credential':
    case 'operator':
    case 'job':
      return actor.name;
    case 'anonymous':
      return 'anonymous';
  }
}
