import type { App } from '#server/context.ts';

/**
 * Returns the name that a CAA record has to give so that our authority may issue: the first that it announces, and what people call
 * it by where it announces none, or could not be asked yet.
 */
export async function findCaaIdentity({ authority, logger }: App): Promise<string> {
  try {
    const [first] = await authority.caaIdentities();
    return first ?? authority.title;
  } catch (error) {
    logger.warn({ err: error }, 'the names of the authority in CAA cannot be learnt');
    return authority.title;
  }
}
