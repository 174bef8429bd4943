import { z } from 'zod';
import {
  idSchema,
  instantSchema,
  lineSchema,
  pictureUrlSchema,
  shownLineSchema,
  typedEmailSchema,
} from '../shared/schema.ts';
import { withoutUnseen } from '../shared/text-rules.ts';
import {
  LOGIN_MAX_LENGTH,
  LOGIN_PROBLEM_MESSAGE,
  loginProblem,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  PASSWORD_PROBLEM_MESSAGE,
  passwordProblem,
} from './accounts/account-rules.ts';
import {
  REDIRECT_URI_PROBLEM_MESSAGE,
  REDIRECT_URIS_MAX,
  redirectUriProblem,
} from './clients/identity-client-rules.ts';
import { LANGUAGES } from './rules.ts';

const languageSchema = z
  .enum(LANGUAGES)
  .describe('The language of the console and of messages: English or French, as in Canada.');

/** The signed-in person. */
export const userSchema = z.object({
  id: idSchema.describe('Of the person in this installation, also as `user_id` of a member.'),
  login: z.string().describe('The user name, without @.'),
  full_name: z.string().describe('As the person is called; may be empty with an external identity service.'),
  email: z.string().describe('Where messages to the person are sent.'),
  avatar_url: pictureUrlSchema,
  language_preference: languageSchema
    .nullable()
    .describe('The chosen language of the console and of messages; null until one is chosen.'),
});
export type User = z.infer<typeof userSchema>;

export const updateUserSettingsInput = z.object({ language_preference: languageSchema });

/** A browser session as its owner sees it. */
export const sessionSchema = z.object({
  id: z.string().describe('For ending the session. It is not its cookie.'),
  address: z.string().describe('The IP address that it was last used from.'),
  user_agent: z.string().describe('What the browser calls itself.'),
  created_at: instantSchema.describe('When the person signed in.'),
  last_used_at: instantSchema.describe(
    'When a request with it last arrived; not written with every request.',
  ),
  is_current: z.boolean().describe('Whether this request belongs to it.'),
});
export type Session = z.infer<typeof sessionSchema>;

export const revokeSessionInput = z.object({ session_id: idSchema });

const fullNameSchema = shownLineSchema.min(1, 'Enter your name').max(100);
const loginSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(LOGIN_MAX_LENGTH, { error: LOGIN_PROBLEM_MESSAGE.length, abort: true })
  .superRefine((login, issues) => {
    const problem = loginProblem(login);
    if (problem) issues.addIssue({ code: 'custom', message: LOGIN_PROBLEM_MESSAGE[problem] });
  });

/** What the sign-in page of the embedded identity service sends. */
export const signInAccountInput = z.object({
  email: z.string().overwrite(withoutUnseen).pipe(lineSchema.min(1, 'Enter your email address').max(254)),
  password: z.string().min(1, 'Enter your password').max(PASSWORD_MAX_LENGTH),
});

/** What the registration page sends. */
export const registerAccountInput = z
  .object({
    full_name: fullNameSchema,
    login: loginSchema,
    email: typedEmailSchema,
    password: z.string(),
    /** The language of the page: messages are written in it until another one is chosen. */
    language: languageSchema.optional(),
  })
  .superRefine(({ password, email }, issues) => {
    const problem = passwordProblem(password, email);
    if (problem)
      issues.addIssue({ code: 'custom', path: ['password'], message: PASSWORD_PROBLEM_MESSAGE[problem] });
  });

/**
 * What the profile page sends. A new email address or password needs the current password; without
 * `new_password` the old one stays, without `login` the old name.
 */
export const updateAccountInput = z
  .object({
    full_name: fullNameSchema,
    login: loginSchema.optional(),
    email: typedEmailSchema,
    avatar_url: z.union([
      lineSchema.max(500).pipe(z.url({ protocol: /^https?$/ })),
      z.literal('').transform(() => null),
      z.null(),
    ]),
    current_password: z.string().min(1).max(PASSWORD_MAX_LENGTH).optional(),
    new_password: z.string().optional(),
  })
  .superRefine(({ new_password, email }, issues) => {
    const problem = new_password === undefined ? null : passwordProblem(new_password, email);
    if (problem)
      issues.addIssue({ code: 'custom', path: ['new_password'], message: PASSWORD_PROBLEM_MESSAGE[problem] });
  });

/** An account of the embedded identity service, as its owner sees it. */
export const accountSchema = z.object({
  full_name: z.string(),
  login: z.string(),
  email: z.string(),
  avatar_url: z.string().nullable(),
  /** Whether a link sent to the address was opened. */
  email_verified: z.boolean(),
});
export type Account = z.infer<typeof accountSchema>;

/** What the page for a forgotten password sends; `language` is for an account that has chosen none. */
export const requestPasswordResetInput = z.object({
  email: typedEmailSchema,
  language: languageSchema.default('en-CA'),
});
export const requestVerificationInput = z.object({ language: languageSchema.default('en-CA') });

/** The token at the end of a link sent by email. */
const mailTokenSchema = z.string().min(1).max(100);
export const mailLinkInput = z.object({ token: mailTokenSchema });
export const resetPasswordInput = z.object({
  token: mailTokenSchema,
  password: z
    .string()
    .min(PASSWORD_MIN_LENGTH, PASSWORD_PROBLEM_MESSAGE.too_short)
    .max(PASSWORD_MAX_LENGTH, PASSWORD_PROBLEM_MESSAGE.too_long),
  language: languageSchema.default('en-CA'),
});

/** Whose account it is about. */
export const mailLinkResultSchema = z.object({ email: z.string() });
export const emptyResultSchema = z.object({});

/** An account that an operator creates. Without a user name, one is derived from the address. */
export const createAccountInput = z.object({
  email: typedEmailSchema,
  full_name: fullNameSchema,
  login: loginSchema.optional(),
});
export const createdAccountSchema = z.object({
  id: z.string(),
  login: z.string(),
  email: z.string(),
  link: z.string(),
  expires_at: instantSchema,
});
export type CreatedAccount = z.infer<typeof createdAccountSchema>;

export const createResetLinkInput = z.object({ email: typedEmailSchema });
const resetLinkSchema = z.object({ link: z.string(), expires_at: instantSchema });
export type ResetLink = z.infer<typeof resetLinkSchema>;

/** Who may register: no one, or only people with an address at one of the domains, if there are any. */
const registrationTermsSchema = z.object({ is_possible: z.boolean(), domains: z.array(z.string()) });
export type RegistrationTerms = z.infer<typeof registrationTermsSchema>;

/** What an interaction page needs to know: whether to show the sign-in or the registration form first. */
export const interactionSchema = z.object({
  registration: registrationTermsSchema,
  prompt: z.enum(['login', 'create']),
  ui_locales: z.string().nullable(),
  login_hint: z.string().nullable(),
});
export type Interaction = z.infer<typeof interactionSchema>;

/**
 * Where the browser goes next after a successful sign-in; null while the code of the second step is missing.
 */
export const signInResultSchema = z.object({ redirect_to: z.string().nullable() });

const secondFactorCodeSchema = z.string().trim().min(1).max(40);

/** A code of the authenticator app, or a recovery code. */
export const secondFactorCodeInput = z.object({ code: secondFactorCodeSchema });

/** The same for the second step, and how many recovery codes are left if one of them was used. */
export const secondStepResultSchema = z.object({
  redirect_to: z.string(),
  recovery_codes_left: z.number().nullable(),
});

/** Whether two-step sign-in is on for the signed-in person's account. */
export const secondFactorSchema = z.object({ is_on: z.boolean(), recovery_codes_left: z.number() });
export type SecondFactor = z.infer<typeof secondFactorSchema>;

export const beginTotpInput = z.object({ current_password: z.string().min(1).max(PASSWORD_MAX_LENGTH) });
/** The base32 secret and the equivalent `otpauth:` link, for an authenticator app. */
export const totpSetupSchema = z.object({ secret: z.string(), link: z.string() });
export type TotpSetup = z.infer<typeof totpSetupSchema>;

/** What is required to create new recovery codes or turn off two-step sign-in. */
export const changeSecondFactorInput = z.object({
  current_password: z.string().min(1).max(PASSWORD_MAX_LENGTH),
  code: secondFactorCodeSchema,
});

/** The codes are in this response and in no later one. */
export const recoveryCodesSchema = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>;

export const resetSecondFactorInput = z.object({ email: typedEmailSchema });

/**
 * What is required before a way to sign in is added or removed: the password, and a code if two-step sign-in
 * is on.
 */
export const showOwnerInput = z.object({
  current_password: z.string().min(1).max(PASSWORD_MAX_LENGTH),
  /** Of two-step sign-in, if it is on. */
  code: secondFactorCodeSchema.optional(),
});

/** A passkey as its owner sees it. */
export const passkeySchema = z.object({
  id: z.string(),
  name: z.string(),
  created_at: instantSchema,
  last_used_at: instantSchema.nullable(),
});
export type Passkey = z.infer<typeof passkeySchema>;
export const passkeysSchema = z.object({ passkeys: z.array(passkeySchema), is_code_needed: z.boolean() });

/** WebAuthn options as JSON for the browser, which validates them itself. */
export const passkeyOptionsSchema = z.object({ options: z.record(z.string(), z.unknown()) });

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/);
/** At most 1,023 bytes (WebAuthn, 4). */
const credentialIdSchema = base64url(1_364);
const passkeyResponseShape = {
  id: credentialIdSchema,
  rawId: credentialIdSchema,
  type: z.literal('public-key'),
};

/** The browser's result of {@link passkeyOptionsSchema} for a new passkey, and its name. */
export const addPasskeyInput = z.object({
  name: shownLineSchema.min(1).max(60),
  answer: z.object({
    ...passkeyResponseShape,
    response: z.object({
      clientDataJSON: base64url(4_096),
      attestationObject: base64url(16_384),
      transports: z
        .array(z.string().regex(/^[a-z-]{1,20}$/))
        .max(10)
        .optional(),
    }),
  }),
});

/** What a person gives before the browser makes a passkey. */
export const namePasskeyInput = showOwnerInput.extend({ name: addPasskeyInput.shape.name });
export const removePasskeyInput = showOwnerInput.extend({ id: credentialIdSchema });

/** The browser's result of {@link passkeyOptionsSchema} for a sign-in. */
export const passkeySignInInput = z.object({
  answer: z.object({
    ...passkeyResponseShape,
    response: z.object({
      clientDataJSON: base64url(4_096),
      authenticatorData: base64url(4_096),
      signature: base64url(8_192),
      userHandle: base64url(128).nullish(),
    }),
  }),
});
export const passkeySignInResultSchema = z.object({ redirect_to: z.string() });

/** The same for a registration; null while the address has to be confirmed first. */
export const registrationResultSchema = z.object({ redirect_to: z.string().nullable() });

/** Another program that signs people in with the embedded identity service, e.g. a second installation. */
const identityClientSchema = z.object({
  client_id: z.string(),
  name: z.string(),
  redirect_uris: z.array(z.string()),
  created_at: instantSchema,
});
export type IdentityClient = z.infer<typeof identityClientSchema>;

const redirectUriSchema = z
  .string()
  .trim()
  .superRefine((uri, issues) => {
    const problem = redirectUriProblem(uri);
    if (problem) issues.addIssue({ code: 'custom', message: REDIRECT_URI_PROBLEM_MESSAGE[problem] });
  });

/** The data of a new client: a name that people recognize and the addresses that codes are sent to. */
export const createIdentityClientInput = z.object({
  name: shownLineSchema.min(1, 'Enter a name').max(100),
  redirect_uris: z
    .array(redirectUriSchema)
    .min(1, 'Give at least one address')
    .max(REDIRECT_URIS_MAX)
    .transform((uris) => [...new Set(uris)]),
});

/** The secret is in this response and in no later one. */
const createIdentityClientResult = z.object({
  client: identityClientSchema,
  client_secret: z.string(),
});
export type CreateIdentityClientResult = z.infer<typeof createIdentityClientResult>;

export const deleteIdentityClientInput = z.object({ client_id: idSchema });
