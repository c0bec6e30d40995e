// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.http.internal;

import org.jspecify.annotations.NullMarked;
