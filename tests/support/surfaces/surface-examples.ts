import { newId } from '#server/ids.ts';
import { CODE_HOSTS } from '#server/services/publishers/rules.ts';
import { ABUSE_PROCEDURES, ABUSE_ROUTES } from './abuse-examples.ts';
import { BILLING_PROCEDURES, BILLING_ROUTES } from './billing-examples.ts';
import { CDN_PROCEDURES, CDN_ROUTES } from './cdn-examples.ts';
import { MISSING_CONTENT, MISSING_SHA256, type TenantIds } from './fill-organization.ts';
import {
  ENDING_PROCEDURES,
  ENDING_ROUTES,
  ORGANIZATION_PROCEDURES,
  ORGANIZATION_ROUTES,
} from './organization-examples.ts';
import { ENDING_PEOPLE_PROCEDURES, PEOPLE_PROCEDURES } from './people-examples.ts';
import { STORAGE_PROCEDURES, STORAGE_ROUTES } from './storage-examples.ts';
import {
  administers,
  type Example,
  keys,
  lists,
  open,
  operates,
  type ProcedureInput,
  personal,
  type RouteRequest,
  reads,
  writes,
} from './surface-example.ts';
import { AUDIT_PROCEDURES, AUDIT_ROUTES, USAGE_PROCEDURES, USAGE_ROUTES } from './usage-examples.ts';

const namedOrganizationOf = ({ namedOrganization }: TenantIds) => ({ organization_id: namedOrganization });
const siteOf = ({ site }: TenantIds) => ({ site_id: site });
const webhookOf = ({ webhook }: TenantIds) => ({ webhook_id: webhook });
const messageOf = (ids: TenantIds) => ({ ...webhookOf(ids), message_id: ids.webhookMessage });
const newManifest = { 'index.html': { sha256: MISSING_SHA256, size: MISSING_CONTENT.length } };
const scopesFor = (ids: TenantIds) => [
  { resource_type: 'site', resource_id: ids.site, permissions: ['read', 'write'] },
];

/**
 * Every tRPC procedure; the tenancy and the audit tests fail for one that is missing here. In this order each
 * succeeds: what removes a resource comes after what needs it.
 */
export const PROCEDURE_EXAMPLES: Record<string, Example<ProcedureInput>> = {
  ...CDN_PROCEDURES,
  ...ABUSE_PROCEDURES,
  ...AUDIT_PROCEDURES,
  ...USAGE_PROCEDURES,
  ...BILLING_PROCEDURES,
  ...STORAGE_PROCEDURES,
  'credentials.list': { ...keys, needs: 'read', isNaming: false, request: () => ({}) },
  'credentials.page': { ...keys, needs: 'read', isNaming: false, request: () => ({}) },
  'credentials.get': {
    ...keys,
    needs: 'read',
    request: ({ credential }) => ({ credential_id: credential }),
  },
  'credentials.create': { ...keys, request: (ids) => ({ name: 'new', scopes: scopesFor(ids) }) },
  'credentials.updateScopes': {
    ...keys,
    request: (ids) => ({ credential_id: ids.credential, scopes: scopesFor(ids) }),
  },
  'deployments.list': { ...reads, request: siteOf },
  'deployments.recent': {
    ...reads,
    credential: 'never',
    operator: 'never',
    isNaming: false,
    request: () => ({}),
  },
  'deployments.get': { ...reads, request: (ids) => ({ ...siteOf(ids), version_id: ids.currentVersion }) },
  'deployments.files': { ...reads, request: (ids) => ({ ...siteOf(ids), version_id: ids.currentVersion }) },
  'deployments.missing': {
    ...writes,
    request: (ids) => ({ ...siteOf(ids), version_id: ids.incompleteVersion }),
  },
  'deployments.previewRetention': {
    ...reads,
    request: (ids) => ({ ...siteOf(ids), keep_versions: 100, keep_days: 90 }),
  },
  'deployments.open': { ...writes, request: (ids) => ({ ...siteOf(ids), files: newManifest }) },
  'deployments.addFiles': {
    ...writes,
    request: (ids) => ({ ...siteOf(ids), version_id: ids.incompleteVersion, files: newManifest }),
  },
  'deployments.seal': { ...writes, request: (ids) => ({ ...siteOf(ids), version_id: ids.completeVersion }) },
  'deployments.cancel': {
    ...writes,
    request: (ids) => ({ ...siteOf(ids), version_id: ids.incompleteVersion }),
  },
  'deployments.rollback': {
    ...writes,
    request: (ids) => ({ ...siteOf(ids), version_id: ids.replacedVersion }),
  },
  'operator.organizations': { ...operates('read', false), request: () => ({ search: 'together' }) },
  'operator.organization': { ...operates('read'), request: namedOrganizationOf },
  'operator.health': { ...operates('read', false), request: () => ({}) },
  'operator.usage': { ...operates('read', false), request: () => ({}) },
  'operator.stats': { ...operates('read', false), request: () => ({}) },
  'operator.setFeatures': {
    ...operates('manage'),
    request: (ids) => ({ ...namedOrganizationOf(ids), features: ['object_storage'] }),
  },
  'operator.setLimits': {
    ...operates('manage'),
    request: (ids) => ({ ...namedOrganizationOf(ids), limits: { sites: 600 } }),
  },
  'operator.suspend': {
    ...operates('manage'),
    request: (ids) => ({ ...namedOrganizationOf(ids), reason: 'unpaid' }),
  },
  'operator.resume': {
    ...operates('manage'),
    request: ({ suspendedOrganization }) => ({ organization_id: suspendedOrganization }),
  },
  'operator.setMember': {
    ...operates('manage'),
    request: (ids) => ({ ...namedOrganizationOf(ids), member: ids.login, permission: 'owner' }),
  },
  ...PEOPLE_PROCEDURES,
  'organizations.list': { ...personal, request: () => ({}) },
  'organizations.context': { ...personal, request: () => ({}) },
  'organizations.setContext': {
    ...personal,
    isNaming: true,
    request: ({ organization }) => ({ organization_id: organization }),
  },
  ...ORGANIZATION_PROCEDURES,
  'sites.counts': { ...reads, credential: 'never', operator: 'never', isNaming: false, request: () => ({}) },
  'sites.list': { ...lists, request: () => ({}) },
  'sites.get': { ...reads, request: siteOf },
  'sites.create': { ...writes, credential: 'never', isNaming: false, request: () => ({ name: newId() }) },
  'sites.publishers.list': { ...keys, needs: 'read', request: siteOf },
  'sites.publishers.add': {
    ...keys,
    request: (ids) => ({ ...siteOf(ids), issuer: CODE_HOSTS[0].issuer, repository: `new/${newId()}` }),
  },
  'webhooks.list': { ...keys, needs: 'read', isNaming: false, request: () => ({}) },
  'webhooks.get': { ...keys, needs: 'read', request: webhookOf },
  'webhooks.create': {
    ...keys,
    isNaming: false,
    request: () => ({ url: `https://203.0.114.1/${newId()}`, events: ['deploy.published'] }),
  },
  'webhooks.update': { ...keys, request: (ids) => ({ ...webhookOf(ids), description: newId() }) },
  'webhooks.rotateSecret': { ...keys, request: webhookOf },
  'webhooks.test': { ...keys, request: webhookOf },
  'webhooks.messages': { ...keys, needs: 'read', request: webhookOf },
  'webhooks.redeliver': { ...keys, request: messageOf },
  'sites.update': { ...writes, request: (ids) => ({ ...siteOf(ids), spa_fallback: true }) },
  'sites.restore': { ...administers, request: ({ deletedSite }) => ({ site_id: deletedSite }) },
  'user.me': { ...personal, request: () => ({}) },
  'user.updateSettings': { ...personal, request: () => ({ language_preference: 'fr-CA' }) },
  'user.sessions': { ...personal, request: () => ({}) },
  'webhooks.delete': { ...keys, request: webhookOf },
  'credentials.delete': { ...keys, request: ({ credential }) => ({ credential_id: credential }) },
  'sites.publishers.remove': {
    ...keys,
    request: (ids) => ({ ...siteOf(ids), publisher_id: ids.publisher }),
  },
  'sites.delete': { ...administers, request: ({ spareSite }) => ({ site_id: spareSite }) },
  'user.revokeSession': { ...personal, isNaming: true, request: ({ session }) => ({ session_id: session }) },
  ...ENDING_PEOPLE_PROCEDURES,
  ...ENDING_PROCEDURES,
};

const versionParams = (ids: TenantIds, version: keyof TenantIds) => ({
  params: { ...siteOf(ids), version_id: ids[version] },
});
const credentialParams = (ids: TenantIds) => ({ params: { credential_id: ids.credential } });
const tarType = { 'content-type': 'application/x-tar' };

/**
 * Every route of `/api/v1`, by id, in an order in which each succeeds. The tenancy test fails for one that is
 * missing here.
 * @param archive a tar archive with one file named by its hash
 */
export function routeExamples(archive: Buffer<ArrayBuffer>): Record<string, Example<RouteRequest>> {
  return {
    getUser: { ...personal, request: () => ({}) },
    updateUserSettings: { ...personal, request: () => ({ json: { language_preference: 'fr-CA' } }) },
    listSessions: { ...personal, request: () => ({}) },
    listOrganizations: { ...personal, request: () => ({}) },
    getOrganizationContext: { ...personal, request: () => ({}) },
    setOrganizationContext: {
      ...personal,
      isNaming: true,
      request: ({ organization }) => ({ json: { organization_id: organization } }),
    },
    ...ORGANIZATION_ROUTES,
    listSites: { ...lists, request: () => ({}) },
    createSite: {
      ...writes,
      credential: 'never',
      isNaming: false,
      request: () => ({ json: { name: newId() } }),
    },
    getSite: { ...reads, request: (ids) => ({ params: siteOf(ids) }) },
    getSitePicture: { ...personal, isNaming: true, request: (ids) => ({ params: siteOf(ids) }) },
    updateSite: { ...writes, request: (ids) => ({ params: siteOf(ids), json: { spa_fallback: true } }) },
    restoreSite: { ...administers, request: ({ deletedSite }) => ({ params: { site_id: deletedSite } }) },
    previewRetention: {
      ...reads,
      request: (ids) => ({ params: siteOf(ids), query: { keep_versions: '100', keep_days: '90' } }),
    },
    listVersions: { ...reads, request: (ids) => ({ params: siteOf(ids) }) },
    openVersion: { ...writes, request: (ids) => ({ params: siteOf(ids), json: { files: newManifest } }) },
    deployArchive: {
      ...writes,
      request: (ids) => ({ params: siteOf(ids), body: archive, headers: tarType }),
    },
    getVersion: { ...reads, request: (ids) => versionParams(ids, 'currentVersion') },
    listMissingBlobs: { ...writes, request: (ids) => versionParams(ids, 'incompleteVersion') },
    addVersionFiles: {
      ...writes,
      request: (ids) => ({ ...versionParams(ids, 'incompleteVersion'), json: { files: newManifest } }),
    },
    uploadBlob: {
      ...writes,
      request: (ids) => ({
        params: { ...versionParams(ids, 'incompleteVersion').params, sha256: MISSING_SHA256 },
        body: MISSING_CONTENT,
      }),
    },
    uploadBlobBatch: {
      ...writes,
      request: (ids) => ({ ...versionParams(ids, 'incompleteVersion'), body: archive, headers: tarType }),
    },
    cancelVersion: { ...writes, request: (ids) => versionParams(ids, 'incompleteVersion') },
    sealVersion: { ...writes, request: (ids) => versionParams(ids, 'completeVersion') },
    listVersionFiles: { ...reads, request: (ids) => versionParams(ids, 'currentVersion') },
    downloadVersion: { ...reads, request: (ids) => versionParams(ids, 'currentVersion') },
    rollbackSite: {
      ...writes,
      request: (ids) => ({ params: siteOf(ids), json: { version_id: ids.replacedVersion } }),
    },
    listWebhooks: { ...keys, needs: 'read', isNaming: false, request: () => ({}) },
    getWebhook: { ...keys, needs: 'read', request: (ids) => ({ params: webhookOf(ids) }) },
    createWebhook: {
      ...keys,
      isNaming: false,
      request: () => ({ json: { url: `https://203.0.114.1/${newId()}`, events: ['deploy.published'] } }),
    },
    updateWebhook: {
      ...keys,
      request: (ids) => ({ params: webhookOf(ids), json: { description: newId() } }),
    },
    rotateWebhookSecret: { ...keys, request: (ids) => ({ params: webhookOf(ids) }) },
    testWebhook: { ...keys, request: (ids) => ({ params: webhookOf(ids) }) },
    listWebhookMessages: { ...keys, needs: 'read', request: (ids) => ({ params: webhookOf(ids) }) },
    redeliverWebhookMessage: { ...keys, request: (ids) => ({ params: messageOf(ids) }) },
    listPublishers: { ...keys, needs: 'read', request: (ids) => ({ params: siteOf(ids) }) },
    addPublisher: {
      ...keys,
      request: (ids) => ({
        params: siteOf(ids),
        json: { issuer: CODE_HOSTS[0].issuer, repository: `new/${newId()}` },
      }),
    },
    exchangeIdentityToken: {
      ...open('the run shows by its identity token who it is'),
      request: ({ publishingRepository, site }) => ({
        json: { token: `${publishingRepository} ${newId()}`, site },
      }),
    },
    ...CDN_ROUTES,
    ...USAGE_ROUTES,
    ...BILLING_ROUTES,
    ...STORAGE_ROUTES,
    ...ABUSE_ROUTES,
    ...AUDIT_ROUTES,
    listCredentials: { ...keys, needs: 'read', isNaming: false, request: () => ({}) },
    createCredential: {
      ...keys,
      request: (ids) => ({ json: { name: 'new', scopes: scopesFor(ids) } }),
    },
    getCredential: { ...keys, needs: 'read', request: credentialParams },
    updateCredentialScopes: {
      ...keys,
      request: (ids) => ({ ...credentialParams(ids), json: { scopes: scopesFor(ids) } }),
    },
    deleteCredential: { ...keys, request: credentialParams },
    deleteSite: { ...administers, request: ({ spareSite }) => ({ params: { site_id: spareSite } }) },
    revokeSession: {
      ...personal,
      isNaming: true,
      request: ({ session }) => ({ params: { session_id: session } }),
    },
    deleteWebhook: { ...keys, request: (ids) => ({ params: webhookOf(ids) }) },
    removePublisher: {
      ...keys,
      request: (ids) => ({ params: { ...siteOf(ids), publisher_id: ids.publisher } }),
    },
    ...ENDING_ROUTES,
    getWebConfiguration: { ...open('the console asks before sign-in'), request: () => ({}) },
    getClientTypes: { ...open('types of the procedures, the same for everybody'), request: () => ({}) },
    getDeployLimits: {
      ...open('limits of the installation, which a client compares a folder with'),
      request: () => ({}),
    },
    getProblem: {
      ...open('documentation: it tells the meaning of an error code and nothing else'),
      request: () => ({ params: { code: 'not_found' } }),
    },
    getDocumentation: {
      ...open('documentation: it shows the description of the surface'),
      request: () => ({}),
    },
    getRootCertificate: {
      ...open('the root certificate of this installation, for machines that should trust it'),
      request: () => ({}),
    },
    getCommandLine: { ...open('the deploy tool, the same for everybody'), request: () => ({}) },
    getCommandLineRelease: {
      ...open('the deploy tool, the same for everybody'),
      request: () => ({ params: { file: '0.1.0.tgz' } }),
    },
    getOpenApi: { ...open('documentation: it describes the surface and holds no data'), request: () => ({}) },
  };
}
