import { sessionRow } from '../../engine/rows.ts';
import { readStoredImage, refuseImages, storeImage } from '../../engine/sessions/images.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';

function addImage(context: OperationContext): Implementation<'sessions.addImage'> {
  return async ({ sessionId, data }) => {
    const { read } = context.storage;
    const session = await sessionRow(read.sessions, sessionId);
    await refuseImages(read, await context.catalogue.kindOf(session.agentId), session);
    return storeImage(context, sessionId, data);
  };
}

function getImage(context: OperationContext): Implementation<'sessions.image'> {
  return async ({ sessionId, imageId }) => {
    const { image, content } = await readStoredImage(context, sessionId, imageId);
    return { ...image, data: content.toString('base64') };
  };
}

export function sessionImages(context: OperationContext) {
  return {
    'sessions.addImage': addImage(context),
    'sessions.image': getImage(context),
  } satisfies Partial<Implementations>;
}
