/* suspended - connections that wait: for a slow host's delay, or for nothing at all.
 *
 * A suspended connection costs no thread; one timer thread resumes it when its time has come.
 * Thread: any. */
#ifndef SCENT_SERVE_SUSPENDED_H
#define SCENT_SERVE_SUSPENDED_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;
struct suspended;

struct suspended *suspended_new(void); /* never NULL */
/* From inside the connection's request handler, which is called again afterwards. False: it is closed. */
bool suspended_add(struct suspended *suspended, struct MHD_Connection *connection, uint32_t ms);
/* Resumes everyone and lets nobody in again. */
void suspended_close(struct suspended *suspended);
void suspended_free(struct suspended *suspended); /* closed before, and after the server has stopped */

#endif
