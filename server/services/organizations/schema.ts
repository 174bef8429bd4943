import { z } from 'zod';
import { LOGIN_PROBLEM_MESSAGE, loginProblem } from '../identity/accounts/account-rules.ts';
import {
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  shownLineSchema,
} from '../shared/schema.ts';
import { PERMISSIONS, RESERVED_HANDLES } from './rules.ts';

export const permissionSchema = z.enum(PERMISSIONS);

export const organizationSchema = z.object({
  id: idSchema,
  external_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  website: z.string().nullable(),
  location: z.string().nullable(),
  avatar_url: z.string().nullable(),
  features: z.array(z.string()),
  /** The name in addresses; null for a personal workspace. */
  handle: z.string().nullable(),
  /** Its public page, at the code host or here; null when there is none. */
  public_url: z.string().nullable(),
  /** Whether its profile and members are managed by this installation and not by another identity service. */
  is_managed_here: z.boolean(),
  /**
   * Since when an operator has suspended it, and why: everything can be read, nothing changed, nothing is
   * served.
   */
  suspended_at: instantSchema.nullable(),
  suspension_reason: z.string().nullable(),
});
export type Organization = z.infer<typeof organizationSchema>;

export const membershipSchema = z.object({ organization: organizationSchema, permission: permissionSchema });
export type Membership = z.infer<typeof membershipSchema>;

export const organizationContextSchema = z.object({
  organization_id: idSchema,
  organization: organizationSchema,
});

export const setContextInput = z.object({ organization_id: idSchema });

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
  .superRefine((handle, issues) => {
    const problem = loginProblem(handle);
    if (problem) issues.addIssue({ code: 'custom', message: LOGIN_PROBLEM_MESSAGE[problem] });
    else if (RESERVED_HANDLES.has(handle))
      issues.addIssue({ code: 'custom', message: 'This word is reserved' });
  });

const profileFields = {
  name: shownLineSchema.min(1, 'Enter a name').max(100),
  handle: handleSchema,
  description: text(500),
  website: webAddress,
  location: text(100),
  avatar_url: webAddress,
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
  user_id: idSchema,
  login: z.string(),
  full_name: z.string(),
  email: z.string().nullable(),
  avatar_url: z.string().nullable(),
  permission: permissionSchema,
  joined_at: instantSchema,
  is_you: z.boolean(),
});
export type Member = z.infer<typeof memberSchema>;

/** Filters members: owners come first, then by name; `search` matches names, user names and the email addresses that are shown. */
export const listMembersInput = pageInputSchema.extend({ search: z.string().trim().max(100).optional() });
export const memberPageSchema = pageOf(memberSchema);

export const memberInput = z.object({ user_id: idSchema });
export const updateMemberInput = memberInput.extend({ permission: permissionSchema });

/** The delivery status of an invitation's message; `none` when the link is shared by hand. */
const deliverySchema = z.enum(['none', 'queued', 'sent', 'failed']);

/** An open invitation, as those who may invite see it. */
export const invitationSchema = z.object({
  id: idSchema,
  email: z.string().nullable(),
  permission: permissionSchema,
  /** The inviter's user name. */
  invited_by: z.string(),
  created_at: instantSchema,
  expires_at: instantSchema,
  /**
   * Lets anyone with it join, once. Null for readers who may not grant its permission themselves, and for
   * operators.
   */
  link: z.url().nullable(),
  delivery: deliverySchema,
});
export type Invitation = z.infer<typeof invitationSchema>;

export const listInvitationsInput = pageInputSchema;
export const invitationPageSchema = pageOf(invitationSchema);

/** With `email` and configured email the link is sent; otherwise it is only shown. */
export const inviteMemberInput = z.object({
  permission: permissionSchema,
  email: z.union([emptyToNull, z.string().trim().max(254).pipe(z.email()), z.null()]).optional(),
});

export const invitationInput = z.object({ invitation_id: idSchema });
/** The token in an invitation's link. */
export const invitationTokenInput = z.object({ token: z.string().min(1).max(100) });

/** What an invitation shows to anyone with its link. */
export const invitationPreviewSchema = z.object({
  organization: organizationSchema.pick({ name: true, handle: true, description: true, avatar_url: true }),
  permission: permissionSchema,
  /** The inviter's name as shown to people. */
  invited_by: z.string(),
  /** The intended recipient, if the inviter named one. Anyone with the link can use it. */
  email: z.string().nullable(),
  expires_at: instantSchema,
  /** Set when the reader already belongs to the organization. */
  organization_id: idSchema.nullable(),
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
