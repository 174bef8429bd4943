import { getStorageUsage } from '../services/storage/usage/get-storage-usage.ts';
import { getTopPaths } from '../services/usage/get-top-paths.ts';
import { getUsageOverview } from '../services/usage/get-usage-overview.ts';
import { getUsageStats } from '../services/usage/get-usage-stats.ts';
import {
  storageUsageInput,
  storageUsageSchema,
  usageOverviewInput,
  usageOverviewSchema,
  usagePathsInput,
  usagePathsSchema,
  usageStatsInput,
  usageStatsSchema,
} from '../services/usage/schema.ts';
import { organizationProcedure, router } from './trpc.ts';

export const usageRouter = router({
  stats: organizationProcedure
    .input(usageStatsInput)
    .output(usageStatsSchema)
    .query(({ ctx, input }) => getUsageStats(ctx, input)),
  overview: organizationProcedure
    .input(usageOverviewInput)
    .output(usageOverviewSchema)
    .query(({ ctx, input }) => getUsageOverview(ctx, input)),
  storage: organizationProcedure
    .input(storageUsageInput)
    .output(storageUsageSchema)
    .query(({ ctx, input }) => getStorageUsage(ctx, input)),
  paths: organizationProcedure
    .input(usagePathsInput)
    .output(usagePathsSchema)
    .query(({ ctx, input }) => getTopPaths(ctx, input)),
});
