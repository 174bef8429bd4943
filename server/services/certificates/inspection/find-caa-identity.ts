import type { App } from '#server/context.ts';

/**
 * Returns the name that a CAA record must contain so that our authority may issue: the first that it
 * announces, or its title when it announces none or could not be asked yet.
 */
export async function findCaaIdentity({ authority, logger }: App): Promise<string> {
  try {
    const [first] = await authority.caaIdentities();
    return first ?? authority.title;
  } catch (error) {
    logger.warn({ err: error }, 'the CAA names of the authority cannot be read');
    return authority.title;
  }
}
