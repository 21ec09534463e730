/* parking - connections that wait: for a slow host's delay, or for nothing at all.
 *
 * A parked connection is suspended, so it costs no thread; one timer thread resumes it when its time has come.
 * Thread: any. */
#ifndef SCENT_SERVE_PARKING_H
#define SCENT_SERVE_PARKING_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;
struct parking;

struct parking *parking_new(void); /* never NULL */
/* From inside the connection's request handler, which is called again afterwards. False: the parking is closed. */
bool parking_park(struct parking *parking, struct MHD_Connection *connection, uint32_t ms);
/* Resumes everyone and lets nobody in again. */
void parking_close(struct parking *parking);
void parking_free(struct parking *parking); /* closed before, and after the server has stopped */

#endif
