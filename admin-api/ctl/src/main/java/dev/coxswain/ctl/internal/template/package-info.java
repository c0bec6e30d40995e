// SPDX-License-Identifier: Apache-2.0
/**
 * Templates of {@code -o go-template}: the part of Go's text/template that is used with kubectl, with its results to
 * the character. {@link dev.coxswain.ctl.internal.template.GoTemplate} is the entry point; {@code TemplateReader} cuts
 * a text into pieces, {@code TemplateParser} makes parts and expressions of them, {@code TemplateRun} prints them.
 *
 * <p>Thread rule: the main thread.
 */
@NullMarked
package dev.coxswain.ctl.internal.template;

import org.jspecify.annotations.NullMarked;
