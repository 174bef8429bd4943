import type { Registry } from 'prom-client';
import type { Db } from '#db/client.ts';
import type { Camera } from './browser/camera.ts';
import type { CertificateAuthority } from './certificate-authority/authority.ts';
import type { Clock } from './clock.ts';
import type { DeployWork } from './concurrency/deploy-work.ts';
import type { TimeSlices } from './concurrency/time-slices.ts';
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
import type { IdempotencyClaim } from './services/idempotency/claim-idempotency-key.ts';
import {
  ACTION_PERMISSION,
  type Action,
  isAllowed,
  isBlockedBySuspension,
  type Permission,
} from './services/organizations/rules.ts';
import type { BlobStore } from './store/blob-store.ts';
import type { DiskReserve } from './store/room/disk-reserve.ts';
import type { Siblings } from './supervisor/siblings.ts';

/** What one process shares: built once by the composition root and passed down; no module holds a global. */
export interface App {
  config: Config;
  db: Db;
  clock: Clock;
  logger: Logger;
  /** Access to everything outside but the database. */
  outgoing: Outgoing;
  /** Seals secrets under MASTER_KEY. */
  sealer: Sealer;
  blobs: BlobStore;
  /** Free space on the disk of the database file; null when the database is a separate server. */
  databaseDisk: DiskReserve | null;
  /** The issuer of certificates. */
  authority: CertificateAuthority;
  /** The payment provider; null when billing is off. */
  payments: Payments | null;
  /** Takes pictures of sites; null without a browser, or when none is to be started. */
  camera: Camera | null;
  /** Looks up customers' DNS records. */
  lookup: DnsLookup;
  /** Verifies the identity of CI runs at a code host. */
  identityTokens: IdentityTokens;
  /** The operator's own name server for challenges; null when our DNS role answers them. */
  challengeUpdates: ChallengeUpdates | null;
  /** Counts attempts and requests; shared by every surface of the process. */
  rateLimits: RateLimits;
  /** How many connections the process may hold, over all listeners. */
  connections: ConnectionBudget;
  /** Limits on what deploys make this process do, shared fairly among organizations. */
  deployWork: DeployWork;
  /** Shares the event loop among long pieces of work, by organization. */
  slices: TimeSlices;
  /** Tells the edges, after a commit, what to forget. */
  edgeChanges: EdgeChanges;
  /** The other processes of this machine. */
  siblings: Siblings;
  /** The process's own Prometheus metrics, served at `/metrics`. */
  metrics: Registry;
}

/** A person signed in through the browser. */
export interface PersonActor {
  kind: 'person';
  userId: string;
  login: string;
  sessionId: string;
  /** The context stored with the session, used when an address names no organization. */
  organizationId: string | null;
}

/** A credential: it can access only the resources in its scopes, within its organization. */
export interface CredentialActor {
  kind: 'credential';
  credentialId: string;
  name: string;
  organizationId: string;
  /** False when it may only deploy previews; absent when that does not matter. */
  mayPublish?: boolean;
  /** Whether it may create buckets and delete those that it reaches; absent means no. */
  mayCreateBuckets?: boolean;
  scopes: readonly CredentialScope[];
}

/**
 * The operator of this installation, by a token, in the console or at the command line: inside every
 * organization, never as its owner.
 */
export interface OperatorActor {
  kind: 'operator';
  /** Null at the command line. */
  tokenId: string | null;
  /** For an operator who is signed in to the console. */
  userId?: string;
  name: string;
  /** `read` only reads, `manage` also changes. */
  access: 'read' | 'manage';
}

export interface CredentialScope {
  resource_type: 'site' | 'bucket';
  resource_id: string;
  permissions: readonly ('read' | 'write')[];
}

/** Recurring work. */
export interface JobActor {
  kind: 'job';
  name: string;
}

export interface AnonymousActor {
  kind: 'anonymous';
}

export type Actor = PersonActor | CredentialActor | OperatorActor | JobActor | AnonymousActor;

/** The actor, and the request it belongs to. Verbs take it as their first argument. */
export interface RequestContext {
  app: App;
  actor: Actor;
  requestId: string;
  /** The client's address, for limits and the audit log. */
  address: string;
  /** The `Idempotency-Key` that a change of this request is noted with; null or absent without one. */
  claim?: IdempotencyClaim | null;
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
 * Requires that the actor may do this in the organization. In a suspended one, only operators can change
 * anything.
 * @throws permission_required, organization_suspended, unauthenticated
 */
export function requireAction(context: OrganizationContext, action: Action): void {
  const { actor, organization } = context;
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (actor.kind === 'job') return;
  if (!isAllowed(organization.permission, action)) {
    throw new AppError('permission_required', { permission: ACTION_PERMISSION[action] });
  }
  if (actor.kind !== 'operator' && organization.isSuspended && isBlockedBySuspension(action)) {
    throw new AppError('organization_suspended');
  }
}

/**
 * Returns the operator.
 * @throws unauthenticated; operator_required for any other actor, and for a read-only token when `access` is
 * `manage`
 */
export function requireOperator(context: RequestContext, access: OperatorActor['access']): OperatorActor {
  const { actor } = context;
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (actor.kind !== 'operator' || (access === 'manage' && actor.access !== 'manage')) {
    throw new AppError('operator_required', { access });
  }
  return actor;
}

/** Returns the signed-in person. @throws unauthenticated, or person_required for any other actor */
export function requirePerson(context: RequestContext): PersonActor {
  if (context.actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (context.actor.kind !== 'person') throw new AppError('person_required');
  return context.actor;
}

/**
 * Requires that the actor's scopes include the site; actors without scopes are always allowed.
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
 * Requires that the actor's scopes include the bucket; actors without scopes are always allowed.
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

/**
 * Requires that the actor may change what is live.
 * @throws publish_not_allowed for a program that may only create previews
 */
export function requirePublishRight({ actor }: RequestContext): void {
  if (actor.kind === 'credential' && actor.mayPublish === false) throw new AppError('publish_not_allowed');
}

/** The actor's name as shown to people: a login, a credential's name, a job's. */
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
