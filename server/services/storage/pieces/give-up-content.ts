import type { Trx } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';

/** Per transaction: an object may have as many pieces. */
const PIECES_MAX = 10_000;
const STATEMENT_IDS_MAX = 500;

const noteRemoved = preparedQuery((executor, contentId: string, now: number) =>
  executor
    .insertInto('removed_pieces')
    .columns(['id', 'removed_at'])
    .expression((eb) =>
      eb
        .selectFrom('object_pieces')
        .select((inner) => ['id', inner.cast<number>(inner.val(now), 'bigint').as('removed_at')])
        .where('content_id', '=', contentId)
        .where('content', 'is', null),
    ),
);
const deletePieces = preparedQuery((executor, contentId: string) =>
  executor.deleteFrom('object_pieces').where('content_id', '=', contentId),
);

/** Marks content as unreferenced: its bytes are removed once no reader can be using them. */
export async function giveUpContent(trx: Trx, contentId: string, now: number): Promise<void> {
  await noteRemoved(trx, contentId, now);
  await deletePieces(trx, contentId);
}

/** Returns the first of these objects that one transaction can remove: always at least one. */
export function withinPieces<T extends { part_count: number | null }>(objects: readonly T[]): T[] {
  let pieces = 0;
  return objects.filter(({ part_count }, index) => {
    pieces += part_count ?? 1;
    return index === 0 || pieces <= PIECES_MAX;
  });
}

/** Marks the content of several objects or uploads as unreferenced. */
export async function giveUpContents(trx: Trx, contentIds: readonly string[], now: number): Promise<void> {
  await noteRemovedOf(trx, 'content_id', contentIds, now);
  await trx.deleteFrom('object_pieces').where('content_id', 'in', contentIds).execute();
}

/** Marks single pieces as unreferenced. */
export async function giveUpPieces(trx: Trx, ids: readonly string[], now: number): Promise<void> {
  for (let at = 0; at < ids.length; at += STATEMENT_IDS_MAX) {
    const some = ids.slice(at, at + STATEMENT_IDS_MAX);
    await noteRemovedOf(trx, 'id', some, now);
    await trx.deleteFrom('object_pieces').where('id', 'in', some).execute();
  }
}

/** Notes pieces whose bytes are in the store; those in the database are deleted with their rows. */
async function noteRemovedOf(
  trx: Trx,
  column: 'id' | 'content_id',
  values: readonly string[],
  now: number,
): Promise<void> {
  await trx
    .insertInto('removed_pieces')
    .columns(['id', 'removed_at'])
    .expression((eb) =>
      eb
        .selectFrom('object_pieces')
        .select((inner) => ['id', inner.cast<number>(inner.val(now), 'bigint').as('removed_at')])
        .where(column, 'in', values)
        .where('content', 'is', null),
    )
    .execute();
}
