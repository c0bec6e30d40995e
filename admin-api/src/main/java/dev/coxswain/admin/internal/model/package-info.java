// SPDX-License-Identifier: Apache-2.0
/**
 * The values of the admin API: each record is a JSON object of {@code openapi.json}, whose fields are
 * its components. A component that is null is left out.
 *
 * <p>Immutable, any thread. Not promised: may change in any release; the JSON is promised.
 */
@NullMarked
package dev.coxswain.admin.internal.model;

import org.jspecify.annotations.NullMarked;
