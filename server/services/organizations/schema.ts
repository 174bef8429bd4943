import { z } from 'zod';
import { LOGIN_MAX_LENGTH, LOGIN_PROBLEM_MESSAGE, loginProblem } from '../identity/accounts/account-rules.ts';
import {
  createdAtSchema,
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  pictureUrlSchema,
  shownLineSchema,
  suspensionReasonSchema,
  typedEmailSchema,
} from '../shared/schema.ts';
import { PERMISSIONS, RESERVED_HANDLES } from './rules.ts';

export const permissionSchema = z
  .enum(PERMISSIONS)
  .describe(
    'What a member may do, each including the ones before it: `read` sees everything but secrets, `write` ' +
      'deploys, `admin` also deletes and manages members and credentials, `owner` also pays.',
  );

export const organizationSchema = z.object({
  id: idSchema.describe(
    'The first part of the console’s addresses, and the value of `Portage-Organization`.',
  ),
  external_id: z
    .string()
    .describe('What the identity service calls it; begins with `personal-` for a personal workspace.'),
  name: z.string().describe('As shown to people.'),
  description: z.string().nullable().describe('What the organization is about; null if it does not say.'),
  website: z.string().nullable().describe('An http or https address; null if there is none.'),
  location: z.string().nullable().describe('Where it is, in its own words; null if it does not say.'),
  avatar_url: pictureUrlSchema,
  features: z.array(z.string()).describe('What the operator has turned on for it, such as `object_storage`.'),
  handle: z.string().nullable().describe('The name in addresses; null for a personal workspace.'),
  public_url: z
    .string()
    .nullable()
    .describe('Its public page, at the code host or here; null when there is none.'),
  is_managed_here: z
    .boolean()
    .describe(
      'Whether its profile and members are managed by this installation and not by another identity service.',
    ),
  suspended_at: instantSchema
    .nullable()
    .describe(
      'Since when an operator has suspended it: everything can be read, nothing but its billing changed, and ' +
        'nothing is served. Null otherwise.',
    ),
  suspension_reason: suspensionReasonSchema,
});
export type Organization = z.infer<typeof organizationSchema>;

export const membershipSchema = z.object({
  organization: organizationSchema.describe('What the person belongs to.'),
  permission: permissionSchema,
});
export type Membership = z.infer<typeof membershipSchema>;

export const organizationContextSchema = z.object({
  organization_id: idSchema.describe('Where the session works when a request names no organization.'),
  organization: organizationSchema.describe('The same organization in full.'),
});

export const setContextInput = z.object({
  organization_id: idSchema.describe(
    'The organization in which the session works from now on; one that the person belongs to.',
  ),
});

const emptyToNull = z.literal('').transform(() => null);
const text = (max: number) => z.union([emptyToNull, shownLineSchema.min(1).max(max), z.null()]);
const webAddress = z.union([
  emptyToNull,
  lineSchema
    .max(300)
    .pipe(z.url({ protocol: /^https?$/ }))
    // `https://example.ca@elsewhere.example` is read as an address of the former.
    .refine((address) => !/^https?:\/\/[^/?#\\]*@/i.test(address), 'must not contain a user name'),
  z.null(),
]);

/** A handle, the name in addresses: the form of user names, without words that have another meaning there. */
const handleSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(LOGIN_MAX_LENGTH, { error: LOGIN_PROBLEM_MESSAGE.length, abort: true })
  .superRefine((handle, issues) => {
    const problem = loginProblem(handle);
    if (problem) issues.addIssue({ code: 'custom', message: LOGIN_PROBLEM_MESSAGE[problem] });
    else if (RESERVED_HANDLES.has(handle))
      issues.addIssue({ code: 'custom', message: 'This word is reserved' });
  });

const profileFields = {
  name: shownLineSchema.min(1, 'Enter a name').max(100).describe('As shown to people: 1 to 100 characters.'),
  handle: handleSchema.describe(
    'The name in addresses: 2 to 39 characters of a-z, 0-9 and hyphens, with a letter or digit at both ends. ' +
      'Some words are reserved.',
  ),
  description: text(500).describe(
    'What the organization is about, at most 500 characters; empty or null for nothing.',
  ),
  website: webAddress.describe(
    'An http or https address of at most 300 characters, without a user name; empty or null for none.',
  ),
  location: text(100).describe('Where it is, at most 100 characters; empty or null for nothing.'),
  avatar_url: webAddress.describe(
    'A square picture: an http or https address of at most 300 characters; empty or null for none.',
  ),
};

/** The data of a new organization; `handle` is its name in addresses. */
export const createOrganizationInput = z.object({
  name: profileFields.name,
  handle: profileFields.handle,
  description: profileFields.description.optional(),
  website: profileFields.website.optional(),
  location: profileFields.location.optional(),
  avatar_url: profileFields.avatar_url.optional(),
});

/** The changes; absent fields do not change. */
export const updateOrganizationInput = z.object(profileFields).partial();

/** A member as other members see it; `email` only for those who may invite. */
export const memberSchema = z.object({
  user_id: idSchema.describe('The person, in the calls about this member.'),
  login: z.string().describe('The user name, without @.'),
  full_name: z.string().describe('As the person is called; may be empty with an external identity service.'),
  email: z.string().nullable().describe('Only for readers who may invite; null for others.'),
  avatar_url: pictureUrlSchema,
  permission: permissionSchema,
  joined_at: instantSchema.describe('When the person became a member.'),
  is_you: z.boolean().describe('Whether it is the caller.'),
});
export type Member = z.infer<typeof memberSchema>;

/** Filters members: owners come first, then by name; `search` matches names, user names and the email addresses that are shown. */
export const listMembersInput = pageInputSchema.extend({ search: z.string().trim().max(100).optional() });
export const memberPageSchema = pageOf(memberSchema);

export const memberInput = z.object({ user_id: idSchema });
export const updateMemberInput = memberInput.extend({ permission: permissionSchema });

/** The delivery status of an invitation's message; `none` when the link is shared by hand. */
const deliverySchema = z
  .enum(['none', 'queued', 'sent', 'failed'])
  .describe('What has become of the message with the link; `none` when the link is shared by hand.');

/** An open invitation, as those who may invite see it. */
export const invitationSchema = z.object({
  id: idSchema.describe('For revoking the invitation.'),
  email: z.string().nullable().describe('Whom it was sent to; null when the link is shared by hand.'),
  permission: permissionSchema,
  invited_by: z.string().describe('The inviter’s user name.'),
  created_at: createdAtSchema,
  expires_at: instantSchema.describe('When the link stops working.'),
  link: z
    .url()
    .nullable()
    .describe(
      'Lets anyone with it join, once. Null for readers who may not grant its permission themselves, and for ' +
        'operators.',
    ),
  delivery: deliverySchema,
});
export type Invitation = z.infer<typeof invitationSchema>;

export const listInvitationsInput = pageInputSchema;
export const invitationPageSchema = pageOf(invitationSchema);

/** With `email` and configured email the link is sent; otherwise it is only shown. */
export const inviteMemberInput = z.object({
  permission: permissionSchema,
  email: z
    .union([emptyToNull, typedEmailSchema, z.null()])
    .optional()
    .describe(
      'Whom to send the link to, if this installation sends email; absent, empty or null to share it by hand.',
    ),
});

export const invitationInput = z.object({ invitation_id: idSchema });
/** The token in an invitation's link. */
export const invitationTokenInput = z.object({ token: z.string().min(1).max(100) });

/** What an invitation shows to anyone with its link. */
export const invitationPreviewSchema = z.object({
  organization: organizationSchema
    .pick({ name: true, handle: true, description: true, avatar_url: true })
    .describe('Which organization it leads to.'),
  permission: permissionSchema,
  invited_by: z.string().describe('The inviter’s name as shown to people.'),
  email: z
    .string()
    .nullable()
    .describe(
      'The intended recipient, if the inviter named one; else null. Anyone with the link can use it.',
    ),
  expires_at: instantSchema.describe('When the link stops working.'),
  organization_id: idSchema
    .nullable()
    .describe('Set when the reader already belongs to the organization; null otherwise.'),
});
export type InvitationPreview = z.infer<typeof invitationPreviewSchema>;

export const publicProfileInput = z.object({ handle: z.string().min(1).max(100) });

/** What anyone may read about an organization that is managed here. */
export const publicProfileSchema = organizationSchema
  .pick({ name: true, description: true, website: true, location: true, avatar_url: true })
  .extend({
    handle: z.string(),
    /** Only for a member: which organization this is in the console, and the member's permission. */
    membership: z.object({ organization_id: idSchema, permission: permissionSchema }).nullable(),
  });
export type PublicProfile = z.infer<typeof publicProfileSchema>;
