import type { AuditEventsTable } from './audit-events.ts';
import type { BlobsTable } from './blobs.ts';
import type { CdnEndpointsTable } from './cdn-endpoints.ts';
import type { CredentialScopesTable } from './credential-scopes.ts';
import type { CredentialsTable } from './credentials.ts';
import type { EdgeChangesTable } from './edge-changes.ts';
import type { IdempotencyKeysTable } from './idempotency-keys.ts';
import type { IdentityAccountsTable } from './identity-accounts.ts';
import type { IdentityPayloadsTable } from './identity-payloads.ts';
import type { InstallationValuesTable } from './installation-values.ts';
import type { LeasesTable } from './leases.ts';
import type { MembershipsTable } from './memberships.ts';
import type { OrganizationBlobsTable } from './organization-blobs.ts';
import type { OrganizationsTable } from './organizations.ts';
import type { SessionsTable } from './sessions.ts';
import type { SiteVersionsTable } from './site-versions.ts';
import type { SitesTable } from './sites.ts';
import type { UsersTable } from './users.ts';
import type { VersionFilesTable } from './version-files.ts';

/** The whole schema, as Kysely sees it. Booleans are 0/1, instants epoch milliseconds, JSON text, on both engines. */
export interface Database {
  audit_events: AuditEventsTable;
  blobs: BlobsTable;
  cdn_endpoints: CdnEndpointsTable;
  credential_scopes: CredentialScopesTable;
  credentials: CredentialsTable;
  edge_changes: EdgeChangesTable;
  idempotency_keys: IdempotencyKeysTable;
  identity_accounts: IdentityAccountsTable;
  identity_payloads: IdentityPayloadsTable;
  installation_values: InstallationValuesTable;
  leases: LeasesTable;
  memberships: MembershipsTable;
  organization_blobs: OrganizationBlobsTable;
  organizations: OrganizationsTable;
  sessions: SessionsTable;
  site_versions: SiteVersionsTable;
  sites: SitesTable;
  users: UsersTable;
  version_files: VersionFilesTable;
}
