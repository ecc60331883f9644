/**
 * Causes by which Temporal itself asks a worker to decide anew, as histories tell them: a signal came between the decision and
 * its arrival. `temporal.api.enums.v1.WorkflowTaskFailedCause`.
 */
export const ASKED_ANEW = /UNHANDLED_COMMAND|^1$/;
