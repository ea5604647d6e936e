/** A judge of requests and answers that knows an OpenAPI document alone, and shares no line with this project. */
import { OpenAPIBackend } from 'openapi-backend';

/** Rejects where the document cannot be used. */
export async function judgeOf(definition: object): Promise<OpenAPIBackend> {
  const judge = new OpenAPIBackend({
    definition: JSON.parse(JSON.stringify(definition)),
    strict: true,
    // What JSON Schema allows and Ajv's strict mode merely dislikes is no fault of the document.
    ajvOpts: { strict: false },
  });
  await judge.init();
  return judge;
}
