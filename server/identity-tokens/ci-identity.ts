import { z } from 'zod';

/** What an identity token says about its CI run. */
export interface CiIdentity {
  issuer: string;
  repository: string;
  /** The code host's own number of the repository; null when it provides none. */
  repositoryId: string | null;
  /** A full ref, such as `refs/heads/main`. */
  ref: string;
  environment: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
}

const text = z.string().min(1).max(300);
const number = z.union([text, z.number().int()]).transform(String);

/**
 * Claims of GitHub Actions and Forgejo Actions ("OpenID Connect reference": `repository`, `ref`), and of
 * GitLab CI ("ID token authentication": `project_path`, and `ref` with `ref_type`).
 */
const claimsSchema = z.object({
  iss: text,
  exp: z.number(),
  repository: text.optional(),
  project_path: text.optional(),
  repository_id: number.optional(),
  project_id: number.optional(),
  ref: text,
  ref_type: text.optional(),
  environment: text.nullish(),
});

/**
 * Reads the claims of a token with a valid signature.
 * @returns null when they are not those of a code host
 */
export function readCiIdentity(claims: unknown): CiIdentity | null {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) return null;
  const { iss, exp, repository, project_path, repository_id, project_id, ref, ref_type, environment } =
    parsed.data;
  const name = repository ?? project_path;
  if (name === undefined) return null;
  return {
    issuer: iss.replace(/\/$/, ''),
    repository: name,
    repositoryId: repository_id ?? project_id ?? null,
    ref: ref.startsWith('refs/') ? ref : `refs/${ref_type === 'tag' ? 'tags' : 'heads'}/${ref}`,
    environment: environment ?? null,
    expiresAt: exp * 1000,
  };
}
