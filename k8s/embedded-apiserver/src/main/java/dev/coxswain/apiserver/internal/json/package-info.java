// SPDX-License-Identifier: Apache-2.0

/**
 * JSON and YAML bodies of the embedded API server: parsing (with duplicate keys reported), printing
 * and small tree helpers. Any thread.
 */
@NullMarked
package dev.coxswain.apiserver.internal.json;

import org.jspecify.annotations.NullMarked;
