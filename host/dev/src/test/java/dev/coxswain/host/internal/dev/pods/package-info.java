// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.host.internal.dev.pods;

import org.jspecify.annotations.NullMarked;
