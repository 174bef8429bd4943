import type { Permission } from '#server/services/organizations/rules.ts';
import type { TenantIds } from './tenancy-world.ts';

/** One right request of a procedure or a route, and who may send it. */
export interface Example<Request> {
  /** Anybody (then `why` tells the reason), a signed-in person, an actor inside an organization, or an operator. */
  audience: 'anybody' | 'person' | 'organization' | 'operator';
  why?: string;
  /** The weakest membership that is let in. */
  needs: Permission;
  /** What a credential gets: what its scopes allow, a list cut to its scopes, or nothing whatever its scopes. */
  credential: 'read scope' | 'write scope' | 'filtered' | 'never';
  /** The weakest operator token that is let in; `never` where a person, an owner or a secret is at stake. */
  operator: 'read' | 'manage' | 'never';
  /** Whether the request names a thing of the organization by its id. */
  isNaming: boolean;
  /** Whether it names a thing that lets in whoever can name it, from outside too. */
  isOpenToHolders?: boolean;
  /** In which organization it is right, where not in the one with everything. */
  place?: 'emptyOrganization' | 'invitingOrganization';
  request: (ids: TenantIds) => Request;
}

/** Everything of an example but the request itself. */
export type Who = Omit<Example<never>, 'request'>;

export const inside = { audience: 'organization' } as const;
export const reads: Who = {
  ...inside,
  needs: 'read',
  credential: 'read scope',
  operator: 'read',
  isNaming: true,
};
export const writes: Who = {
  ...inside,
  needs: 'write',
  credential: 'write scope',
  operator: 'manage',
  isNaming: true,
};
export const administers: Who = {
  ...inside,
  needs: 'admin',
  credential: 'never',
  operator: 'manage',
  isNaming: true,
};
export const lists: Who = {
  ...inside,
  needs: 'read',
  credential: 'filtered',
  operator: 'read',
  isNaming: false,
};
/** Credentials are made, seen and changed by people: not even an operator widens one. */
export const keys: Who = { ...administers, operator: 'never' };
export const personal: Who = {
  audience: 'person',
  needs: 'read',
  credential: 'never',
  operator: 'never',
  isNaming: false,
};
export const open = (why: string): Who => ({
  audience: 'anybody',
  why,
  needs: 'read',
  credential: 'never',
  operator: 'read',
  isNaming: false,
});

/** For whoever runs the installation; nobody inside an organization is let in. */
export const operates = (operator: 'read' | 'manage', isNaming = true): Who => ({
  audience: 'operator',
  needs: 'owner',
  credential: 'never',
  operator,
  isNaming,
});

/** Input of a procedure, without `organization_id`. */
export type ProcedureInput = Record<string, unknown>;

/** What a route is sent. */
export interface RouteRequest {
  params?: Record<string, string>;
  query?: Record<string, string>;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
}
