import { z } from 'zod';
import { LOGIN_PROBLEM_MESSAGE, loginProblem } from '../identity/rules.ts';
import { idSchema, instantSchema, lineSchema, pageInputSchema, pageOf } from '../shared/schema.ts';
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
  /** Short name in addresses; null for a personal workspace. */
  handle: z.string().nullable(),
  /** Where anybody can read about it: its page at the code host, or here; null where there is none. */
  public_url: z.string().nullable(),
  /** Whether its profile and members are kept by this installation and not by another identity service. */
  is_managed_here: z.boolean(),
  /** Since when an operator has stopped it, and why: everything can be read, nothing changed, nothing is served. */
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
const text = (max: number) => z.union([emptyToNull, lineSchema.min(1).max(max), z.null()]);
const webAddress = z.union([
  emptyToNull,
  lineSchema.max(300).pipe(z.url({ protocol: /^https?$/ })),
  z.null(),
]);

/** A short name in addresses: the form of user names, without the words that mean something else there. */
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
  name: lineSchema.min(1, 'Enter a name').max(100),
  handle: handleSchema,
  description: text(500),
  website: webAddress,
  location: text(100),
  avatar_url: webAddress,
};

/** What a new organization is made of; `handle` is its short name in addresses. */
export const createOrganizationInput = z.object({
  name: profileFields.name,
  handle: profileFields.handle,
  description: profileFields.description.optional(),
  website: profileFields.website.optional(),
  location: profileFields.location.optional(),
  avatar_url: profileFields.avatar_url.optional(),
});

/** What changes; whatever is absent stays. */
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

/** Which members: owners come first, then by name; `search` looks in names and user names. */
export const listMembersInput = pageInputSchema.extend({ search: z.string().trim().max(100).optional() });
export const memberPageSchema = pageOf(memberSchema);

export const memberInput = z.object({ user_id: idSchema });
export const updateMemberInput = memberInput.extend({ permission: permissionSchema });

/** How an invitation's message is doing; `none` where it is handed on by hand. */
export const deliverySchema = z.enum(['none', 'queued', 'sent', 'failed']);

/** An open invitation, as those who may invite see it. */
export const invitationSchema = z.object({
  id: idSchema,
  email: z.string().nullable(),
  permission: permissionSchema,
  /** The inviter's user name. */
  invited_by: z.string(),
  created_at: instantSchema,
  expires_at: instantSchema,
  /** Lets whoever opens it join, once. Null for those who may not give its permission themselves, and for operators. */
  link: z.url().nullable(),
  delivery: deliverySchema,
});
export type Invitation = z.infer<typeof invitationSchema>;

export const listInvitationsInput = pageInputSchema;
export const invitationPageSchema = pageOf(invitationSchema);

/** With `email` and a configured mail sender the link is sent; else it is only shown. */
export const inviteMemberInput = z.object({
  permission: permissionSchema,
  email: z.union([emptyToNull, z.string().trim().max(254).pipe(z.email()), z.null()]).optional(),
});

export const invitationInput = z.object({ invitation_id: idSchema });
/** What stands in an invitation's link. */
export const invitationTokenInput = z.object({ token: z.string().min(1).max(100) });

/** What an invitation says to whoever opens its link. */
export const invitationPreviewSchema = z.object({
  organization: organizationSchema.pick({ name: true, handle: true, description: true, avatar_url: true }),
  permission: permissionSchema,
  /** The inviter's name as people know it. */
  invited_by: z.string(),
  /** Whom it is for, where the inviter said so. Whoever has the link can use it. */
  email: z.string().nullable(),
  expires_at: instantSchema,
  /** Set when the one who asks belongs to the organization already. */
  organization_id: idSchema.nullable(),
});
export type InvitationPreview = z.infer<typeof invitationPreviewSchema>;

export const publicProfileInput = z.object({ handle: z.string().min(1).max(100) });

/** What anybody may read about an organization that is managed here. */
export const publicProfileSchema = organizationSchema
  .pick({ name: true, description: true, website: true, location: true, avatar_url: true })
  .extend({
    handle: z.string(),
    /** Only for a member: which organization this is in the console, and what the member may do. */
    membership: z.object({ organization_id: idSchema, permission: permissionSchema }).nullable(),
  });
export type PublicProfile = z.infer<typeof publicProfileSchema>;
