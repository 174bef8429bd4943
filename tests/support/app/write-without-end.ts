import { writeSync } from 'node:fs';
import { openDatabase } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';

/**
 * A program that writes two rows per transaction, eight transactions at once, until it is killed, and prints
 * the number of each committed one: `write-without-end.ts DATABASE_URL`.
 */
const [url = ''] = process.argv.slice(2);
const db = openDatabase(url);
let count = 0;

async function writeOn(): Promise<never> {
  for (;;) {
    const number = ++count;
    await inTransaction(db, async (trx) => {
      for (const half of ['a', 'b']) {
        await trx
          .insertInto('leases')
          .values({ name: `${number}${half}`, holder: '', expires_at: 0 })
          .execute();
      }
    });
    writeSync(1, `${number}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, writeOn));
