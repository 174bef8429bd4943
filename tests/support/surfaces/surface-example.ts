import type { Permission } from '#server/services/organizations/rules.ts';
import type { TenantIds } from './fill-organization.ts';

/** One valid request of a procedure or a route, and who may send it. */
export interface Example<Request> {
  /**
   * Anyone (then `why` gives the reason), a signed-in person, an actor inside an organization, or an
   * operator.
   */
  audience: 'public' | 'person' | 'organization' | 'operator';
  why?: string;
  /** The weakest permission that is accepted. */
  needs: Permission;
  /**
   * What a credential gets: what its scopes allow, a list filtered by its scopes, or nothing whatever its
   * scopes.
   */
  credential: 'read scope' | 'write scope' | 'filtered' | 'never';
  /**
   * The weakest operator access that is accepted; `never` where a person, an owner or a secret is at stake.
   */
  operator: 'read' | 'manage' | 'never';
  /** Whether the request refers to a resource of the organization by its id. */
  isNaming: boolean;
  /** Whether it changes something that a suspended organization may change too. */
  isOpenWhileSuspended?: boolean;
  /** Whether it refers to a resource that admits anyone who can name it, even from outside. */
  isOpenToHolders?: boolean;
  /** In which organization it is valid, when not in the one with everything. */
  place?: 'emptyOrganization' | 'invitingOrganization';
  request: (ids: TenantIds) => Request;
}

/** Everything in an example but the request itself. */
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
/** Credentials are created, seen and changed by people: not even an operator widens one. */
export const keys: Who = { ...administers, operator: 'never' };
export const personal: Who = {
  audience: 'person',
  needs: 'read',
  credential: 'never',
  operator: 'never',
  isNaming: false,
};
export const open = (why: string): Who => ({
  audience: 'public',
  why,
  needs: 'read',
  credential: 'never',
  operator: 'read',
  isNaming: false,
});

/** For operators of the installation; refused to everyone inside an organization. */
export const operates = (operator: 'read' | 'manage', isNaming = true): Who => ({
  audience: 'operator',
  needs: 'owner',
  credential: 'never',
  operator,
  isNaming,
});

/** Input of a procedure, without `organization_id`. */
export type ProcedureInput = Record<string, unknown>;

/** The request sent to a route. */
export interface RouteRequest {
  params?: Record<string, string>;
  query?: Record<string, string>;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
}
