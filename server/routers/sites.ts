import { addPublisher } from '../services/publishers/add-publisher.ts';
import { listPublishers } from '../services/publishers/list-publishers.ts';
import { removePublisher } from '../services/publishers/remove-publisher.ts';
import {
  addPublisherInput,
  publisherSchema,
  publishersInput,
  publishersSchema,
  removePublisherInput,
} from '../services/publishers/schema.ts';
import { countHosted } from '../services/sites/count-hosted.ts';
import { createSite } from '../services/sites/create-site.ts';
import { deleteSite } from '../services/sites/delete-site.ts';
import { getSite } from '../services/sites/get-site.ts';
import { listSites } from '../services/sites/list-sites.ts';
import { restoreSite } from '../services/sites/restore-site.ts';
import {
  createSiteInput,
  hostedCountsSchema,
  listSitesInput,
  siteInput,
  sitePageSchema,
  siteSchema,
  updateSiteInput,
} from '../services/sites/schema.ts';
import { updateSite } from '../services/sites/update-site.ts';
import { organizationProcedure, router } from './trpc.ts';

const publishersRouter = router({
  list: organizationProcedure
    .input(publishersInput)
    .output(publishersSchema)
    .query(({ ctx, input }) => listPublishers(ctx, input)),
  add: organizationProcedure
    .input(addPublisherInput)
    .output(publisherSchema)
    .mutation(({ ctx, input }) => addPublisher(ctx, input)),
  remove: organizationProcedure
    .input(removePublisherInput)
    .mutation(({ ctx, input }) => removePublisher(ctx, input)),
});

export const sitesRouter = router({
  list: organizationProcedure
    .input(listSitesInput)
    .output(sitePageSchema)
    .query(({ ctx, input }) => listSites(ctx, input)),
  get: organizationProcedure
    .input(siteInput)
    .output(siteSchema)
    .query(({ ctx, input }) => getSite(ctx, input)),
  create: organizationProcedure
    .input(createSiteInput)
    .output(siteSchema)
    .mutation(({ ctx, input }) => createSite(ctx, input)),
  update: organizationProcedure
    .input(updateSiteInput)
    .output(siteSchema)
    .mutation(({ ctx, input }) => updateSite(ctx, input)),
  delete: organizationProcedure.input(siteInput).mutation(({ ctx, input }) => deleteSite(ctx, input)),
  restore: organizationProcedure
    .input(siteInput)
    .output(siteSchema)
    .mutation(({ ctx, input }) => restoreSite(ctx, input)),
  counts: organizationProcedure.output(hostedCountsSchema).query(({ ctx }) => countHosted(ctx)),
  publishers: publishersRouter,
});
