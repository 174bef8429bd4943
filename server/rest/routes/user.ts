import { z } from 'zod';
import { getUser } from '../../services/identity/get-user.ts';
import {
  revokeSessionInput,
  sessionSchema,
  updateUserSettingsInput,
  userSchema,
} from '../../services/identity/schema.ts';
import { listSessions } from '../../services/identity/sessions/list-sessions.ts';
import { revokeSession } from '../../services/identity/sessions/revoke-session.ts';
import { updateUserSettings } from '../../services/identity/update-user-settings.ts';
import { getOrganizationContext } from '../../services/organizations/get-organization-context.ts';
import { listOrganizations } from '../../services/organizations/list-organizations.ts';
import {
  membershipSchema,
  organizationContextSchema,
  setContextInput,
} from '../../services/organizations/schema.ts';
import { setOrganizationContext } from '../../services/organizations/set-organization-context.ts';
import { openRoute, type Route } from '../route.ts';

const tag = 'User and organizations';

export const userRoutes: Route[] = [
  openRoute(
    {
      audience: 'person',
      method: 'GET',
      path: '/api/v1/user',
      id: 'getUser',
      tag,
      summary: 'Get the signed-in person',
      success: { kind: 'json', status: 200, schema: userSchema },
      errors: ['person_required'],
    },
    ({ context }) => getUser(context),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'PUT',
      path: '/api/v1/user/settings',
      id: 'updateUserSettings',
      tag,
      summary: 'Choose the language of the console',
      body: { json: updateUserSettingsInput },
      success: { kind: 'json', status: 200, schema: userSchema },
      errors: ['person_required'],
    },
    ({ context, body }) => updateUserSettings(context, body),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'GET',
      path: '/api/v1/user/sessions',
      id: 'listSessions',
      tag,
      summary: 'List the sessions of the signed-in person, the current one first',
      success: { kind: 'json', status: 200, schema: z.array(sessionSchema) },
      errors: ['person_required'],
    },
    ({ context }) => listSessions(context),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'DELETE',
      path: '/api/v1/user/sessions/{session_id}',
      id: 'revokeSession',
      tag,
      summary: 'End a session immediately',
      description: 'Ending the current session signs out.',
      params: revokeSessionInput,
      success: { kind: 'empty' },
      errors: ['person_required', 'session_not_found'],
    },
    ({ context, params }) => revokeSession(context, params),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'GET',
      path: '/api/v1/user/organizations',
      id: 'listOrganizations',
      tag,
      summary: 'List the memberships of the signed-in person',
      success: { kind: 'json', status: 200, schema: z.array(membershipSchema) },
      errors: ['person_required'],
    },
    ({ context }) => listOrganizations(context),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'GET',
      path: '/api/v1/organization/context',
      id: 'getOrganizationContext',
      tag,
      summary: 'Get the current organization of the session',
      success: { kind: 'json', status: 200, schema: organizationContextSchema },
      errors: ['person_required', 'organization_not_found'],
    },
    ({ context }) => getOrganizationContext(context),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'POST',
      path: '/api/v1/organization/context/set',
      id: 'setOrganizationContext',
      tag,
      summary: 'Set the current organization of the session',
      body: { json: setContextInput },
      success: { kind: 'json', status: 200, schema: organizationContextSchema },
      errors: ['person_required', 'organization_not_found'],
    },
    ({ context, body }) => setOrganizationContext(context, body),
  ),
];
