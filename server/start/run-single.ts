import { warnAboutSettings } from '../config/warn-about-settings.ts';
import { alone } from '../supervisor/neighbours.ts';
import { playParts } from './play-parts.ts';
import { gracefulEnd, openProcess, startOrExit } from './process-end.ts';
import { prepareData, readyMessageOf } from './start-plan.ts';

/** Every role in one process: for development, tests and very small machines. */
const { config, logger } = openProcess();
warnAboutSettings(config, logger, process.env);
await startOrExit(logger, async () => {
  await prepareData(config, logger);
  const stop = await playParts(config, logger, new Set([...config.roles, 'housekeeper']), alone);
  const readyMessage = readyMessageOf(config);
  if (readyMessage !== null) logger.info(readyMessage);
  const end = gracefulEnd(logger, stop);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
});
